//! The command line. An empty value counts as absent, so that scripts can pass variables on
//! without checking them.

use clap::Parser;
use secrecy::SecretString;

/// Checks how far a deployment conforms to the interface of ctxmem.
///
/// It prints one row for each rule: pass, variant form (a form that the interface lists besides
/// the primary one, or something that it leaves open), fail, or not testable. It makes up test
/// users and erases them at the end. Exit status: 0 no rule fails, 1 a rule fails, 2 wrong
/// usage or deployment unreachable, 130 interrupted.
#[derive(Clone, Debug, Default, Parser)]
#[command(name = "ctxmem-conformance", version)]
pub struct Args {
    /// Address of the deployment, such as `https://memory.example.com`
    #[arg(
        long,
        env = "CTXMEM_CONTRACT_URL",
        value_name = "URL",
        required_unless_present = "rules"
    )]
    pub url: Option<String>,
    /// API key of an agent, A; safer in the environment than on the command line
    #[arg(
        long,
        env = "CTXMEM_CONTRACT_KEY",
        hide_env_values = true,
        value_name = "KEY",
        required_unless_present = "rules"
    )]
    pub key: Option<SecretString>,
    /// Id of agent A, needed for the rules about explicit grants
    #[arg(long, env = "CTXMEM_CONTRACT_AGENT_ID", value_name = "ID")]
    pub agent_id: Option<String>,
    /// API key of another agent, B
    #[arg(
        long,
        env = "CTXMEM_CONTRACT_SECOND_KEY",
        hide_env_values = true,
        value_name = "KEY"
    )]
    pub second_key: Option<SecretString>,
    /// Id of agent B
    #[arg(long, env = "CTXMEM_CONTRACT_SECOND_AGENT_ID", value_name = "ID")]
    pub second_agent_id: Option<String>,
    /// Cookie of a signed-in user, as `name=value`
    #[arg(
        long,
        env = "CTXMEM_CONTRACT_SESSION_COOKIE",
        hide_env_values = true,
        value_name = "NAME=VALUE"
    )]
    pub session_cookie: Option<SecretString>,
    /// Id of the user of that session. Use a made-up user: the context will be erased
    #[arg(long, env = "CTXMEM_CONTRACT_SESSION_USER", value_name = "ID")]
    pub session_user: Option<String>,
    /// Prefix of the ids of test users [default: a random UUID without its last group]
    #[arg(long, env = "CTXMEM_CONTRACT_USER_PREFIX", value_name = "TEXT")]
    pub user_prefix: Option<String>,
    /// Also exceed the rate limit and use up agent A's monthly quota
    #[arg(long, env = "CTXMEM_CONTRACT_ALLOW_LIMITS", value_parser = clap::builder::FalseyValueParser::new())]
    pub allow_limits: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Print the table of rules in Markdown and exit
    #[arg(long)]
    pub rules: bool,
}
