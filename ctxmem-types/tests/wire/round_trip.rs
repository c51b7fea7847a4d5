//! Every value can be read back unchanged from its JSON.

use std::fmt::Debug;

use ctxmem_types::json;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::arbitrary;

fn survives<T>(value: &T) -> Result<(), TestCaseError>
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let text = serde_json::to_string(value).unwrap();
    let again: T = json::from_slice(text.as_bytes()).unwrap();
    // The text first: `Debug` of a value does not show what differs.
    prop_assert_eq!(serde_json::to_string(&again).unwrap(), text);
    prop_assert_eq!(&again, value);
    let pretty = serde_json::to_vec_pretty(value).unwrap();
    prop_assert_eq!(&json::from_slice::<T>(&pretty).unwrap(), value);
    Ok(())
}

macro_rules! round_trips {
    ($($noun:ident)+) => {
        proptest! {
            $(#[test] fn $noun(value in arbitrary::$noun()) { survives(&value)?; })+
        }
    };
}

round_trips! {
    cache_hint
    context
    delete_response
    delta
    emotional_state
    error_body
    error_code
    fact
    grant_request
    grant_response
    health
    history_entry
    inject_reason
    inject_request
    inject_response
    revoke_response
    scope_name
    scope_set
    sign_in_link_request
    sign_in_link_response
    source_type
    timestamp
    update_outcome
    update_request
    update_response
    user_id
}
