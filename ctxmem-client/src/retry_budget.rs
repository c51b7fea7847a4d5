//! Limits how many retries a client makes, so that retries don't make an outage worse.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What one retry costs. A success earns 1.
const RETRY_COST: u32 = 10;
/// The balance at the start, and the highest it gets: ten retries.
const CAPACITY: u32 = 10 * RETRY_COST;

/// Ten retries to begin with, and one more for every ten successes. A service that is down
/// gives no successes, so a thousand calls cost ten retries instead of thousands.
#[derive(Debug)]
pub(crate) struct RetryBudget {
    balance: Mutex<u32>,
}

impl Default for RetryBudget {
    fn default() -> Self {
        Self {
            balance: Mutex::new(CAPACITY),
        }
    }
}

impl RetryBudget {
    /// Records a success.
    pub(crate) fn deposit(&self) {
        let mut balance = self.lock();
        *balance = (*balance + 1).min(CAPACITY);
    }

    /// Pays for one retry; false when the balance is too low.
    pub(crate) fn withdraw(&self) -> bool {
        let mut balance = self.lock();
        match balance.checked_sub(RETRY_COST) {
            Some(rest) => {
                *balance = rest;
                true
            }
            None => false,
        }
    }

    fn lock(&self) -> MutexGuard<'_, u32> {
        // A panic can't leave a number half changed.
        self.balance.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_alone_get_ten_retries() {
        let budget = RetryBudget::default();
        let granted = (0..1000).filter(|_| budget.withdraw()).count();
        assert_eq!(granted, 10);
    }

    #[test]
    fn ten_successes_buy_one_more() {
        let budget = RetryBudget::default();
        while budget.withdraw() {}
        for _ in 0..9 {
            budget.deposit();
        }
        assert!(!budget.withdraw());
        budget.deposit();
        assert!(budget.withdraw());
        assert!(!budget.withdraw());
    }

    #[test]
    fn the_balance_is_bounded() {
        let budget = RetryBudget::default();
        for _ in 0..10_000 {
            budget.deposit();
        }
        let granted = (0..1000).filter(|_| budget.withdraw()).count();
        assert_eq!(granted, 10);
    }
}
