//! Migrations and templates are compiled in: a change to them is a change to the binary.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
    println!("cargo:rerun-if-changed=templates");
}
