//! Ids of requests.

use http::HeaderValue;
use uuid::Builder;
use uuid::fmt::Simple;

/// 32 random hexadecimal digits, unique across processes.
pub(crate) struct RequestId([u8; Simple::LENGTH]);

impl RequestId {
    pub(crate) fn new() -> Self {
        // From this thread's generator, which saves a system call per request.
        let random = rand::random::<u128>().to_ne_bytes();
        let mut digits = [0; Simple::LENGTH];
        Builder::from_random_bytes(random)
            .into_uuid()
            .simple()
            .encode_lower(&mut digits);
        Self(digits)
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    pub(crate) fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_bytes(&self.0).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_are_32_digits_and_no_two_are_the_same() {
        let making = || (0..5_000).map(|_| RequestId::new()).collect::<Vec<_>>();
        // In several threads, since each has a generator of its own.
        let ids: Vec<RequestId> = std::thread::scope(|scope| {
            let threads = [(); 4].map(|()| scope.spawn(making));
            threads
                .into_iter()
                .flat_map(|t| t.join().unwrap())
                .collect()
        });
        let different: HashSet<&str> = ids.iter().map(RequestId::as_str).collect();
        assert_eq!(different.len(), 20_000);
        for id in &ids {
            let digits = id.as_str().bytes();
            assert_eq!(digits.len(), 32);
            assert!(
                digits
                    .clone()
                    .all(|digit| b"0123456789abcdef".contains(&digit))
            );
            assert_eq!(id.header().unwrap(), id.as_str());
        }
    }
}
