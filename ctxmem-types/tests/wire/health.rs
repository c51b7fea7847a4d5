//! Health in its two forms.

use ctxmem_types::Health;

use crate::golden;

#[test]
fn the_primary_form_lists_its_checks() {
    let health: Health = golden::exact("health/primary.json");

    assert!(health.is_ok());
    let checks = health.checks.unwrap();
    assert!(checks.keys().eq(["database", "cache", "model"]));
    assert_eq!(health.timestamp.unwrap().unix_millis(), 1_772_357_400_000);
    assert_eq!(health.ok, None);
}

#[test]
fn a_degraded_deployment_is_not_ok() {
    let health: Health = golden::exact("health/degraded.json");

    assert!(!health.is_ok());
    assert_eq!(health.checks.unwrap()["database"], "unreachable");
}

#[test]
fn older_deployments_answer_ok_alone() {
    for (file, ok) in [
        ("health/only_ok.json", true),
        ("health/only_not_ok.json", false),
    ] {
        let health: Health = golden::exact(file);

        assert_eq!(health.is_ok(), ok, "{file}");
        assert_eq!((health.status, health.checks), (None, None), "{file}");
    }
}

#[test]
fn a_status_alone_is_enough() {
    let health: Health = golden::exact("health/only_status.json");

    assert!(health.is_ok());
    assert_eq!(health.timestamp, None);
}

#[test]
fn unknown_fields_are_kept() {
    let health: Health = golden::exact("health/unknown_fields.json");

    assert!(health.extra.keys().eq(["version", "uptime"]));
    assert!(health.checks.unwrap().is_empty());
}

#[test]
fn the_status_outweighs_the_older_form_and_nothing_is_not_ok() {
    assert!(!Health::default().is_ok());
    let mut contradictory = Health::default();
    contradictory.status = Some("degraded".to_owned());
    contradictory.ok = Some(true);
    assert!(!contradictory.is_ok());
}
