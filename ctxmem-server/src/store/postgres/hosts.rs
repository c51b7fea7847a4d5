//! The hosts in the URL of a Postgres database. Several are written as libpq has them:
//! `postgres://user:password@host1:5432,host2:5433/database?target_session_attrs=read-write`.

use std::str::FromStr;

use sqlx::postgres::PgConnectOptions;

/// What names the kind of host to connect to. Its value is not passed on: sqlx doesn't know it.
const KIND: &str = "target_session_attrs";

/// How to connect to each of the hosts; there is at least one.
#[derive(Clone)]
pub(in crate::store) struct Hosts(Vec<PgConnectOptions>);

/// Why the URL of a Postgres database can't be used. It names the part and never shows it: what
/// looks like a host may be a piece of a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostsError {
    /// It has another form.
    #[error(
        "expected postgres://user:password@host:port/database, or several hosts separated by \
         commas; in user and password, special characters are written as %XX"
    )]
    Form,
    /// A host in a list has no name.
    #[error("host {0} has no name")]
    Name(usize),
    /// A host begins or ends as an IPv6 address does, but isn't one.
    #[error("host {0} is not an IPv6 address in brackets, such as [::1]")]
    Brackets(usize),
    /// A port is not a number of a port.
    #[error("the port of host {0} is not a number from 1 to 65535")]
    Port(usize),
    /// Several hosts or ports are named by a parameter.
    #[error("several hosts, each with its port, stand before the slash and not in a parameter")]
    Parameter,
    /// Another kind of host is asked for than one that takes writes.
    #[error(
        "target_session_attrs can be read-write or primary: ctxmem needs a database that takes \
         writes"
    )]
    Kind,
}

impl Hosts {
    /// The same hosts for connections that Postgres shows under this name.
    pub(super) fn named(self, application: &str) -> Self {
        // Poolers refuse what they can't set, and no column holds a float.
        let named =
            |host: PgConnectOptions| host.application_name(application).extra_float_digits(None);
        Self(self.0.into_iter().map(named).collect())
    }

    /// Another host that is connected to as the one at this place is.
    pub(super) fn at(&self, place: usize, host: &str, port: u16) -> Self {
        let like = self.0.get(place).cloned().unwrap_or_default();
        Self(vec![like.host(host).port(port)])
    }

    /// How to connect to each, in the order of the URL.
    pub(super) fn all(&self) -> &[PgConnectOptions] {
        &self.0
    }
}

impl FromStr for Hosts {
    type Err = HostsError;

    fn from_str(url: &str) -> Result<Self, HostsError> {
        let (scheme, rest) = url.split_once("://").ok_or(HostsError::Form)?;
        let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let (user, hosts) = authority.split_at(authority.rfind('@').map_or(0, |at| at + 1));
        let path = without_kind(path)?;
        let hosts: Vec<&str> = hosts.split(',').collect();
        // A single one may be left out: a parameter names it, or the environment.
        if hosts != [""] {
            for (n, host) in (1..).zip(&hosts) {
                check(n, host)?;
            }
        }
        let options = hosts
            .into_iter()
            .map(|host| format!("{scheme}://{user}{host}{path}").parse());
        let options: Result<_, sqlx::Error> = options.collect();
        options.map(Self).map_err(|_| HostsError::Form)
    }
}

/// Checks a host and its port. `n` is its place in the URL.
fn check(n: usize, host: &str) -> Result<(), HostsError> {
    let (name, port) = if let Some(address) = host.strip_prefix('[') {
        let (address, port) = address.split_once(']').ok_or(HostsError::Brackets(n))?;
        if address.parse::<std::net::Ipv6Addr>().is_err() {
            return Err(HostsError::Brackets(n));
        }
        match port.strip_prefix(':') {
            None if !port.is_empty() => return Err(HostsError::Brackets(n)),
            port => (address, port),
        }
    } else {
        match host.split_once(':') {
            Some((_, port)) if port.contains(':') => return Err(HostsError::Brackets(n)),
            Some((name, port)) => (name, Some(port)),
            None => (host, None),
        }
    };
    if name.is_empty() {
        return Err(HostsError::Name(n));
    }
    match port.map(str::parse::<u16>) {
        None | Some(Ok(1..)) => Ok(()),
        Some(_) => Err(HostsError::Port(n)),
    }
}

/// The path and parameters without the kind of host, if it is one that takes writes.
fn without_kind(path: &str) -> Result<String, HostsError> {
    let Some((path, parameters)) = path.split_once('?') else {
        return Ok(path.to_owned());
    };
    let mut kept = Vec::new();
    for parameter in parameters.split('&') {
        let decoded = form_urlencoded::parse(parameter.as_bytes()).next();
        let (name, value) = decoded.unwrap_or_default();
        match (&*name, &*value) {
            (KIND, "read-write" | "primary") => {}
            (KIND, _) => return Err(HostsError::Kind),
            ("host" | "hostaddr" | "port", list) if list.contains(',') => {
                return Err(HostsError::Parameter);
            }
            _ => kept.push(parameter),
        }
    }
    Ok(format!("{path}?{}", kept.join("&")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_hosts(url: &str, expected: &[(&str, u16)]) {
        let hosts: Hosts = url.parse().unwrap();
        let hosts = hosts.all().iter();
        let hosts: Vec<_> = hosts
            .map(|host| (host.get_host(), host.get_port()))
            .collect();
        assert_eq!(hosts, expected, "{url}");
    }

    #[test]
    fn each_host_has_its_port_or_the_usual_one() {
        assert_hosts(
            "postgres://ada@db.example.com/facts",
            &[("db.example.com", 5432)],
        );
        assert_hosts(
            "postgresql://ada@one:5433,two,three:1/facts",
            &[("one", 5433), ("two", 5432), ("three", 1)],
        );
        assert_hosts(
            "postgres://one,two/facts?port=5433",
            &[("one", 5433), ("two", 5433)],
        );
        assert_hosts(
            "postgres://[::1]:5433,[fe80::2]/facts",
            &[("[::1]", 5433), ("[fe80::2]", 5432)],
        );
    }

    #[test]
    fn all_else_is_the_same_for_each() {
        let url = "postgres://a%40da:p%2Cw%2F@one,two/my%20facts?sslmode=disable\
                   &target_session_attrs=read-write";
        let hosts: Hosts = url.parse().unwrap();
        assert_eq!(hosts.all().len(), 2);
        for host in hosts.all() {
            assert_eq!(host.get_username(), "a@da");
            assert_eq!(host.get_database(), Some("my facts"));
            let shown = format!("{:?}", host.get_ssl_mode());
            assert_eq!(shown, "Disable");
        }
    }

    #[test]
    fn a_single_host_may_be_named_elsewhere() {
        let socket: Hosts = "postgres:///facts?host=/var/run/postgresql"
            .parse()
            .unwrap();
        let folder = socket.all()[0].get_socket().unwrap();
        assert_eq!(folder.to_str(), Some("/var/run/postgresql"));
    }

    #[test]
    fn a_comma_in_a_password_separates_nothing() {
        assert_hosts("postgres://ada:a,b@c@one/x", &[("one", 5432)]);
    }

    #[test]
    fn an_error_names_the_part_and_never_shows_it() {
        for (url, error) in [
            ("postgres:one", HostsError::Form),
            ("postgres://ada:hush@one,/x", HostsError::Name(2)),
            ("postgres://ada:hush@,two/x", HostsError::Name(1)),
            ("postgres://ada:hush@:5432,two/x", HostsError::Name(1)),
            ("postgres://ada:hush@one,two:hush/x", HostsError::Port(2)),
            ("postgres://ada:hush@one:0,two/x", HostsError::Port(1)),
            ("postgres://ada:hush@one:65536/x", HostsError::Port(1)),
            ("postgres://ada:hush@one:/x", HostsError::Port(1)),
            ("postgres://ada:hush@one,::1/x", HostsError::Brackets(2)),
            ("postgres://ada:hush@[::1,two/x", HostsError::Brackets(1)),
            ("postgres://ada:hush@[::1]5/x", HostsError::Brackets(1)),
            ("postgres://ada:hush@[hush]/x", HostsError::Brackets(1)),
            ("postgres://ada:hush/more@one/x", HostsError::Port(1)),
            ("postgres://ada:hush@one/x?host=a,b", HostsError::Parameter),
            ("postgres://ada:hush@one/x?port=1,2", HostsError::Parameter),
            ("postgres://ada:hush@one/x?sslmode=hush", HostsError::Form),
            (
                "postgres://one/x?target_session_attrs=any",
                HostsError::Kind,
            ),
            (
                "postgres://one/x?target_session_attrs=hush",
                HostsError::Kind,
            ),
        ] {
            let refused = url.parse::<Hosts>().err();
            assert_eq!(refused, Some(error), "{url}");
            assert!(!error.to_string().contains("hush"), "{error}");
        }
    }
}
