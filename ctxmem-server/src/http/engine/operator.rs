//! The operator of the service, as pages name them.

/// What the pages say about whoever runs the service.
#[derive(Clone, Debug, Default)]
pub struct OperatorConfig {
    /// The name of a person or an organisation.
    pub name: Option<String>,
    /// An e-mail address, or the address of a page, `https://…`.
    pub contact: Option<String>,
    /// The address of the privacy policy, `https://…` or `http://…`.
    pub privacy_url: Option<String>,
}

impl OperatorConfig {
    /// The contact as an address that browsers and mail programs open.
    pub(crate) fn contact_address(&self) -> Option<String> {
        let contact = self.contact.as_deref()?;
        Some(if contact.starts_with("https://") {
            contact.to_owned()
        } else {
            format!("mailto:{contact}")
        })
    }
}
