//! How many retries there may be, so that an outage is not made worse by them.

use std::sync::Mutex;

/// What one retry costs, in the unit in which successes pay.
const RETRY: u32 = 10;
/// What is there at the start, and the most that is ever saved up: ten retries.
const CAPACITY: u32 = 10 * RETRY;

/// Ten retries to begin with; every tenth success allows another. A service that is down
/// gives no successes, so a thousand calls then cost ten retries, not thousands.
#[derive(Debug)]
pub(crate) struct Budget {
    left: Mutex<u32>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            left: Mutex::new(CAPACITY),
        }
    }
}

impl Budget {
    pub(crate) fn earn(&self) {
        let mut left = self.lock();
        *left = (*left + 1).min(CAPACITY);
    }

    /// Takes one retry, if there is one.
    pub(crate) fn spend(&self) -> bool {
        let mut left = self.lock();
        match left.checked_sub(RETRY) {
            Some(rest) => {
                *left = rest;
                true
            }
            None => false,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, u32> {
        // A number can't be left half changed.
        self.left
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_alone_get_ten_retries() {
        let budget = Budget::default();
        let granted = (0..1000).filter(|_| budget.spend()).count();
        assert_eq!(granted, 10);
    }

    #[test]
    fn ten_successes_buy_one_more() {
        let budget = Budget::default();
        while budget.spend() {}
        for _ in 0..9 {
            budget.earn();
        }
        assert!(!budget.spend());
        budget.earn();
        assert!(budget.spend());
        assert!(!budget.spend());
    }

    #[test]
    fn savings_are_bounded() {
        let budget = Budget::default();
        for _ in 0..10_000 {
            budget.earn();
        }
        let granted = (0..1000).filter(|_| budget.spend()).count();
        assert_eq!(granted, 10);
    }
}
