//! The command line. Whatever is empty counts as not given, so that scripts can pass
//! variables on unseen.

use clap::Parser;
use secrecy::SecretString;

/// Checks how far a deployment conforms to the interface of ctxmem.
///
/// One row a rule: pass, variant form (a form that the interface lists besides the primary
/// one, or something that it leaves open), fail, or not testable. Test users are made up and
/// erased at the end. Exit status: 0 no rule fails, 1 one does, 2 wrong usage or deployment
/// unreachable, 130 interrupted.
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
    /// API key of an agent, A; better given by the environment
    #[arg(
        long,
        env = "CTXMEM_CONTRACT_KEY",
        hide_env_values = true,
        value_name = "KEY",
        required_unless_present = "rules"
    )]
    pub key: Option<SecretString>,
    /// Id of agent A: what is said of explicit grants can't be tested without
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
    /// Id of the user of that session; make one up for this: the context gets erased
    #[arg(long, env = "CTXMEM_CONTRACT_SESSION_USER", value_name = "ID")]
    pub session_user: Option<String>,
    /// How the ids of test users begin [default: a random UUID but for its last group]
    #[arg(long, env = "CTXMEM_CONTRACT_USER_PREFIX", value_name = "TEXT")]
    pub user_prefix: Option<String>,
    /// Also run into the rate limit and use up agent A's monthly quota
    #[arg(long, env = "CTXMEM_CONTRACT_ALLOW_LIMITS", value_parser = clap::builder::FalseyValueParser::new())]
    pub allow_limits: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Print the table of rules, in Markdown, and exit
    #[arg(long)]
    pub rules: bool,
}
