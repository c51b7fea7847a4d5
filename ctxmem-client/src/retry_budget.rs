//! Limits how many retries a client makes, so that retries don't make an outage worse.

use std::sync::atomic::{AtomicU32, Ordering};

/// What one retry costs. A success earns 1.
const RETRY_COST: u32 = 10;
/// The balance at the start, and the highest it gets: ten retries.
const CAPACITY: u32 = 10 * RETRY_COST;

/// Ten retries to begin with, and one more for every ten successes. A service that is down
/// gives no successes, so a thousand calls cost ten retries instead of thousands.
#[derive(Debug)]
pub(crate) struct RetryBudget {
    balance: AtomicU32,
}

impl Default for RetryBudget {
    fn default() -> Self {
        Self {
            balance: AtomicU32::new(CAPACITY),
        }
    }
}

impl RetryBudget {
    pub(crate) fn deposit(&self) {
        self.change(|balance| Some((balance + 1).min(CAPACITY)));
    }

    /// Pays for one retry; false when the balance is too low.
    pub(crate) fn withdraw(&self) -> bool {
        self.change(|balance| balance.checked_sub(RETRY_COST))
    }

    fn change(&self, new: impl FnMut(u32) -> Option<u32>) -> bool {
        let order = Ordering::Relaxed;
        self.balance.fetch_update(order, order, new).is_ok()
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
