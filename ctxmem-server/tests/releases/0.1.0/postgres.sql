--
-- PostgreSQL database dump
--

\restrict 80e0YEJhbnmTPPayp9qonAQ7ia5407ehgw78pZBmP8upkWARcR7kZZkGOPI3tGR

-- Dumped from database version 15.20 (Debian 15.20-0+deb12u1)
-- Dumped by pg_dump version 15.20 (Debian 15.20-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: raise_compatibility(bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.raise_compatibility(raised bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    LOCK TABLE compatibility IN ACCESS EXCLUSIVE MODE;
    IF NOT (SELECT COALESCE(bool_and(pg_terminate_backend(pid, 10000)), TRUE)
            FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'ctxmem-server'
              AND pid <> pg_backend_pid()) THEN
        RAISE 'a connection of an older ctxmem-server did not end';
    END IF;
    UPDATE compatibility SET number = raised;
END $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: _sqlx_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public._sqlx_migrations (
    version bigint NOT NULL,
    description text NOT NULL,
    installed_on timestamp with time zone DEFAULT now() NOT NULL,
    success boolean NOT NULL,
    checksum bytea NOT NULL,
    execution_time bigint NOT NULL
);


--
-- Name: agent_profiles; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.agent_profiles (
    agent_id text NOT NULL,
    purpose text NOT NULL,
    url text NOT NULL,
    privacy_url text NOT NULL,
    return_url text DEFAULT ''::text NOT NULL,
    needs text DEFAULT '{}'::text NOT NULL,
    verified_at bigint
);


--
-- Name: agents; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.agents (
    id text NOT NULL,
    developer_id text NOT NULL,
    name text NOT NULL,
    created_at bigint NOT NULL,
    deleted_at bigint
);


--
-- Name: api_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_keys (
    id text NOT NULL,
    agent_id text NOT NULL,
    hash bytea NOT NULL,
    prefix text NOT NULL,
    scopes bigint NOT NULL,
    created_at bigint NOT NULL,
    last_used_at bigint,
    revoked_at bigint,
    name text,
    expires_at bigint,
    replaced_by text
);


--
-- Name: audit; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit (
    user_key bytea NOT NULL,
    id text NOT NULL,
    at bigint NOT NULL,
    action text NOT NULL,
    actor text NOT NULL,
    agent_id text,
    developer_id text,
    scopes bigint NOT NULL,
    outcome text NOT NULL,
    facts bigint NOT NULL,
    grants bigint NOT NULL,
    times bigint NOT NULL,
    details text
);


--
-- Name: compatibility; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.compatibility (
    number bigint NOT NULL
);


--
-- Name: consent_requests; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.consent_requests (
    user_key bytea NOT NULL,
    agent_id text NOT NULL,
    scopes bigint NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL,
    times bigint NOT NULL
);


--
-- Name: developer_sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.developer_sessions (
    token_hash bytea NOT NULL,
    developer_id text NOT NULL,
    created_at bigint NOT NULL,
    seen_at bigint NOT NULL
);


--
-- Name: developers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.developers (
    id text NOT NULL,
    email text NOT NULL,
    password_hash text,
    created_at bigint NOT NULL,
    first_fact_at bigint,
    team_id text,
    role text DEFAULT 'owner'::text NOT NULL,
    name text,
    contact text
);


--
-- Name: facts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.facts (
    user_key bytea NOT NULL,
    scope bigint NOT NULL,
    slot_hash bytea NOT NULL,
    sealed bytea NOT NULL,
    source_type text NOT NULL,
    agent_id text NOT NULL,
    requested bigint NOT NULL,
    "position" bigint NOT NULL,
    first_stored_at bigint NOT NULL,
    confirmed_at bigint NOT NULL,
    origin text
);


--
-- Name: grants; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.grants (
    user_key bytea NOT NULL,
    id text NOT NULL,
    agent_id text NOT NULL,
    scopes bigint NOT NULL,
    made_by text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    expires_text text,
    expired_at bigint,
    revoked_at bigint,
    latest bigint NOT NULL,
    last_used_at bigint,
    since_at bigint
);


--
-- Name: idempotency_claims; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency_claims (
    agent_id text NOT NULL,
    key_hash bytea NOT NULL,
    about bytea NOT NULL,
    created_at bigint NOT NULL
);


--
-- Name: idempotency_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency_keys (
    agent_id text NOT NULL,
    key_hash bytea NOT NULL,
    user_key bytea,
    reply bytea,
    created_at bigint NOT NULL,
    about bytea DEFAULT '\x'::bytea NOT NULL
);


--
-- Name: keys_to_destroy; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.keys_to_destroy (
    key_slot bigint NOT NULL,
    key_id bytea NOT NULL,
    user_key bytea DEFAULT '\x'::bytea NOT NULL
);


--
-- Name: meta; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.meta (
    name text NOT NULL,
    value bytea NOT NULL
);


--
-- Name: oauth_connections; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oauth_connections (
    user_key bytea NOT NULL,
    id text NOT NULL,
    agent_id text NOT NULL,
    generation bigint NOT NULL,
    created_at bigint NOT NULL,
    renewed_at bigint NOT NULL
);


--
-- Name: oidc_sign_ins; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.oidc_sign_ins (
    state_hash bytea NOT NULL,
    purpose text NOT NULL,
    browser_hash bytea NOT NULL,
    nonce text NOT NULL,
    verifier text NOT NULL,
    created_at bigint NOT NULL
);


--
-- Name: quota; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.quota (
    agent_id text NOT NULL,
    month text NOT NULL,
    used bigint NOT NULL
);


--
-- Name: recovery_codes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.recovery_codes (
    developer_id text NOT NULL,
    code_hash bytea NOT NULL
);


--
-- Name: request_days; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.request_days (
    agent_id text NOT NULL,
    day text NOT NULL,
    route text NOT NULL,
    status bigint NOT NULL,
    code text NOT NULL,
    micros bigint NOT NULL,
    times bigint NOT NULL,
    unlogged bigint NOT NULL
);


--
-- Name: request_log; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.request_log (
    agent_id text NOT NULL,
    id text NOT NULL,
    at bigint NOT NULL,
    route text NOT NULL,
    status bigint NOT NULL,
    code text NOT NULL,
    micros bigint NOT NULL,
    request_id text NOT NULL
);


--
-- Name: second_factors; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.second_factors (
    developer_id text NOT NULL,
    sealed bytea NOT NULL,
    confirmed_at bigint,
    last_step bigint NOT NULL
);


--
-- Name: sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sessions (
    token_hash bytea NOT NULL,
    sealed_user_id bytea NOT NULL,
    created_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    user_key bytea
);


--
-- Name: sign_in_links; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sign_in_links (
    token_hash bytea NOT NULL,
    sealed_user_id bytea NOT NULL,
    expires_at bigint NOT NULL,
    used_at bigint
);


--
-- Name: team_invitations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.team_invitations (
    id text NOT NULL,
    team_id text NOT NULL,
    token_hash bytea NOT NULL,
    label text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);


--
-- Name: usage_days; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.usage_days (
    agent_id text NOT NULL,
    day text NOT NULL,
    injects bigint NOT NULL,
    updates bigint NOT NULL,
    filtered bigint NOT NULL,
    denied bigint NOT NULL,
    errors bigint NOT NULL
);


--
-- Name: user_key_notes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.user_key_notes (
    name text NOT NULL
);


--
-- Name: user_key_slots; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.user_key_slots
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: user_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.user_keys (
    slot bigint NOT NULL,
    id bytea NOT NULL,
    sealed bytea NOT NULL
);
ALTER TABLE ONLY public.user_keys ALTER COLUMN id SET STATISTICS 0;
ALTER TABLE ONLY public.user_keys ALTER COLUMN sealed SET STATISTICS 0;


--
-- Name: user_keys_spare; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.user_keys_spare (
    slot bigint NOT NULL,
    id bytea NOT NULL,
    sealed bytea NOT NULL
);
ALTER TABLE ONLY public.user_keys_spare ALTER COLUMN id SET STATISTICS 0;
ALTER TABLE ONLY public.user_keys_spare ALTER COLUMN sealed SET STATISTICS 0;


--
-- Name: users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.users (
    user_key bytea NOT NULL,
    key_slot bigint,
    key_id bytea,
    sealed_user_id bytea,
    epoch bigint NOT NULL,
    next_position bigint NOT NULL,
    last_updated bigint,
    version bigint DEFAULT 0 NOT NULL,
    asks bigint DEFAULT 0 NOT NULL,
    paused_at bigint,
    access_seen_at bigint,
    kept_out bytea,
    auto_delete text,
    auto_delete_at bigint
);


--
-- Name: wrapping_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wrapping_keys (
    number bigint NOT NULL,
    outgoing boolean NOT NULL,
    protected boolean NOT NULL,
    bytes bytea NOT NULL
);
ALTER TABLE ONLY public.wrapping_keys ALTER COLUMN bytes SET STATISTICS 0;


--
-- Name: wrapping_keys_spare; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wrapping_keys_spare (
    number bigint NOT NULL,
    outgoing boolean NOT NULL,
    protected boolean NOT NULL,
    bytes bytea NOT NULL
);
ALTER TABLE ONLY public.wrapping_keys_spare ALTER COLUMN bytes SET STATISTICS 0;


--
-- Data for Name: _sqlx_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public._sqlx_migrations VALUES (7, 'baseline', '2026-11-28 01:38:09.899918+00', true, '\xfe399fc77c7608047e0c8ba554c4a8d5dd9469fe4b87cd578bbe415344ac8fdfb264dae16276d7074a18625b9465e88b', 28300555);
INSERT INTO public._sqlx_migrations VALUES (8, 'consent', '2026-11-28 01:38:09.931229+00', true, '\x4ccfb93a3d7246811d745f177e7692d26b4610b6911a1ab28058acfe457c35121a58818575f76549bb74a21468179d78', 8373568);
INSERT INTO public._sqlx_migrations VALUES (10, 'kept corrections', '2026-11-28 01:38:09.940102+00', true, '\x710288954900495278c54c4336a3a7f3bfb2334d2e3e4c6d8d553dce2d2b456ab8674f4312974e169665b26767ae028a', 7907879);
INSERT INTO public._sqlx_migrations VALUES (11, 'dashboard', '2026-11-28 01:38:09.952098+00', true, '\x26dfbac1c2ba4fc770ec992c0df938cf62db870f42c98b66b0e23b642de0028a228193ec4bbd4535052d08211be90b1f', 5532849);
INSERT INTO public._sqlx_migrations VALUES (12, 'teams', '2026-11-28 01:38:09.959999+00', true, '\x33a786ef53e6be1110bf63315fb60544a5ef52c59e285c3f63841e81a17dd4fbfab545b3a7f4294c3e805d86d114b001', 2996549);
INSERT INTO public._sqlx_migrations VALUES (13, 'distributed', '2026-11-28 01:38:09.963311+00', true, '\xbec2877a52b3ed3ef547da87a4abbfe6309194a969f187fad716d256c5e84ec9a0c8aa22f194c0dbad7e7804b018b593', 5142641);
INSERT INTO public._sqlx_migrations VALUES (15, 'consent needs', '2026-11-28 01:38:09.969073+00', true, '\xe14ef7b80c2bf172733df6650af79423d2ea96da2fe5ba87050a412a7aee760819cf0a998b0817d2a6eba92c7a0f9a9b', 1314011);
INSERT INTO public._sqlx_migrations VALUES (16, 'oauth', '2026-11-28 01:38:09.970613+00', true, '\x328ee926227c26bcdd0cfbcf7ec527942cf1dd6205a3a4bb090eb375a896dba18efbccb772f7def2ff74502c0aa6517f', 3119959);
INSERT INTO public._sqlx_migrations VALUES (17, 'auto delete', '2026-11-28 01:38:09.973993+00', true, '\xa85b9142d28a072dd1ad90ac9855822d50fdbf002ddf39cc5ec48f6afbc4da5fe5dd4471198bbfe3188959c944d089a9', 1202493);
INSERT INTO public._sqlx_migrations VALUES (18, 'verified website', '2026-11-28 01:38:09.975985+00', true, '\xb566cae723a07836a53de3ccb6a6981a400faf6581da7bdf51763a188f158c4f65542adee9181fcf7f3ce4dbdd63453f', 813287);


--
-- Data for Name: agent_profiles; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: agents; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.agents VALUES ('4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', '48d58de6-2871-4d2b-8401-ceb255cb9259', 'first agent', 1795829888896, NULL);


--
-- Data for Name: api_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_keys VALUES ('0bed4699-0b88-4503-99f0-0bcc67edb5bb', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', '\xdea7e90a48f69c105fd81b63b1c4c174c30fce0de6b45d209dedf323a950f0b9', 'ctxm_BdHZmA', 127, 1795829888896, 1795829888972, NULL, NULL, NULL, NULL);


--
-- Data for Name: audit; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit VALUES ('\x', '01a21fcd-7780-7000-8000-0142cc908d5b', 1795829888896, 'create_agent', 'operator', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', NULL, 0, 'done', 0, 0, 1, NULL);
INSERT INTO public.audit VALUES ('\x', '01a21fcd-7780-7000-8000-05224f5257c1', 1795829888896, 'create_key', 'operator', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', NULL, 127, 'done', 0, 0, 1, NULL);
INSERT INTO public.audit VALUES ('\x236624a3b8fef721daabd412cb0c12f014078a029a6ac9e936e7d67b11cb46c7', '01a21fcd-77bc-7000-8000-1d6bb94dd9a1', 1795829888956, 'grant', 'agent', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', NULL, 127, 'done', 0, 0, 1, '{"change":"first"}');
INSERT INTO public.audit VALUES ('\x236624a3b8fef721daabd412cb0c12f014078a029a6ac9e936e7d67b11cb46c7', '01a21fcd-77be-7000-8000-21df325f43a5', 1795829888958, 'update', 'agent', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', NULL, 1, 'done', 2, 0, 1, '{"counts":{"added":2,"replaced":0,"removed":0,"evicted":0}}');
INSERT INTO public.audit VALUES ('\x236624a3b8fef721daabd412cb0c12f014078a029a6ac9e936e7d67b11cb46c7', '01a21fcd-77c2-7000-8000-2702802cc180', 1795829888962, 'erase', 'agent', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', NULL, 1, 'done', 2, 1, 1, NULL);
INSERT INTO public.audit VALUES ('\x236a30dfc50335fff81b21eb4d7686b79633f8569e105343ed63924e8a3a8cb3', '01a21fcd-7797-7000-8000-0af010ea8322', 1795829888919, 'grant', 'agent', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', NULL, 127, 'done', 0, 0, 1, '{"change":"first"}');
INSERT INTO public.audit VALUES ('\x236a30dfc50335fff81b21eb4d7686b79633f8569e105343ed63924e8a3a8cb3', '01a21fcd-779d-7000-8000-0d5b05728875', 1795829888925, 'update', 'agent', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', NULL, 1, 'done', 2, 0, 1, '{"counts":{"added":2,"replaced":0,"removed":0,"evicted":0}}');
INSERT INTO public.audit VALUES ('\x236a30dfc50335fff81b21eb4d7686b79633f8569e105343ed63924e8a3a8cb3', '01a21fcd-77a8-7000-8000-13e11a4f7cfd', 1795829888936, 'update', 'agent', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', NULL, 6, 'done', 2, 0, 1, '{"counts":{"added":2,"replaced":0,"removed":0,"evicted":0}}');
INSERT INTO public.audit VALUES ('\x236a30dfc50335fff81b21eb4d7686b79633f8569e105343ed63924e8a3a8cb3', '01a21fcd-77b3-7000-8000-150292877342', 1795829888947, 'update', 'agent', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', NULL, 4, 'done', 1, 0, 1, '{"counts":{"added":1,"replaced":0,"removed":0,"evicted":0}}');
INSERT INTO public.audit VALUES ('\x236a30dfc50335fff81b21eb4d7686b79633f8569e105343ed63924e8a3a8cb3', '01a21fcd-77b9-7000-8000-19bc3d85018f', 1795829888953, 'update', 'agent', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', NULL, 16, 'done', 1, 0, 1, '{"counts":{"added":1,"replaced":0,"removed":0,"evicted":0}}');
INSERT INTO public.audit VALUES ('\x236a30dfc50335fff81b21eb4d7686b79633f8569e105343ed63924e8a3a8cb3', '01a21fcd-77cf-7000-8000-2fca2ba8a52e', 1795829888975, 'read', 'agent', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', NULL, 23, 'done', 0, 0, 1, NULL);
INSERT INTO public.audit VALUES ('\x236a30dfc50335fff81b21eb4d7686b79633f8569e105343ed63924e8a3a8cb3', '01a21fcd-7821-7000-8000-2a6a329dc75d', 1795829889057, 'sign_in', 'user', NULL, NULL, 0, 'done', 0, 0, 1, NULL);
INSERT INTO public.audit VALUES ('\x236a30dfc50335fff81b21eb4d7686b79633f8569e105343ed63924e8a3a8cb3', '01a21fcd-782d-7000-8000-319da2a7b277', 1795829889069, 'export', 'user', NULL, NULL, 23, 'done', 6, 0, 1, NULL);
INSERT INTO public.audit VALUES ('\x236a30dfc50335fff81b21eb4d7686b79633f8569e105343ed63924e8a3a8cb3', '01a21fcd-7834-7000-8000-3682bb8983ba', 1795829889076, 'inject', 'agent', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', NULL, 23, 'done', 0, 0, 1, NULL);


--
-- Data for Name: compatibility; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.compatibility VALUES (2);


--
-- Data for Name: consent_requests; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: developer_sessions; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: developers; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.developers VALUES ('48d58de6-2871-4d2b-8401-ceb255cb9259', 'developer@localhost', NULL, 1795829888896, 1795829888925, NULL, 'owner', NULL, NULL);


--
-- Data for Name: facts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.facts VALUES ('\x236a30dfc50335fff81b21eb4d7686b79633f8569e105343ed63924e8a3a8cb3', 0, '\xf005435de053cff4f2ba6f196f0dacb1', '\x85ec1743c9fe0dd102d229cc12fbd679adc562d418b94ca1e2711a63d05755ad345ac97f89920e49d5da3a4cc596da206e', 'observed', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', 0, 0, 1795829888925, 1795829888925, '{"at":1795829888925,"by":"rules","request":"69ef080ffe0840e98db85ffc2c9db419"}');
INSERT INTO public.facts VALUES ('\x236a30dfc50335fff81b21eb4d7686b79633f8569e105343ed63924e8a3a8cb3', 0, '\x60019f794774aabbc6f1fd800badba74', '\x2b275f0d9298d50bdc8cc016cb691e34a85df466bec98d4a4d4c189e5de3d2dadc6141e2cb6cd9f06bc2bacc3e00801c09341b2db7f361a4173c1703', 'observed', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', 0, 1, 1795829888925, 1795829888925, '{"at":1795829888925,"by":"rules","request":"69ef080ffe0840e98db85ffc2c9db419"}');
INSERT INTO public.facts VALUES ('\x236a30dfc50335fff81b21eb4d7686b79633f8569e105343ed63924e8a3a8cb3', 1, '\xe310f208370e91e03356e4d786a506ad', '\xd11d9752195b98f684d2b84309a7b5f22bdea07e750ffd483719021874dd2674f6671fc7b905159de17c98076edde22c37aa64c3fdeafcd7813ac33b50111f759cc82de4', 'observed', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', 0, 3, 1795829888936, 1795829888936, '{"at":1795829888936,"by":"rules","request":"9c5b00aeb99446f5a84541db2db3169e"}');
INSERT INTO public.facts VALUES ('\x236a30dfc50335fff81b21eb4d7686b79633f8569e105343ed63924e8a3a8cb3', 2, '\x8302f6c855629f365c6d7e3e62287177', '\xe60c2e23e8e12708ddade24d8ffe06b6c44968c804c4cb2a13363211a5b2251fe955d6de03859c971fd7a25706cec4a9b3353e9a246123c9073996d54a6b5eadd5e1b18853110659ec', 'observed', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', 0, 2, 1795829888936, 1795829888936, '{"at":1795829888936,"by":"rules","request":"9c5b00aeb99446f5a84541db2db3169e"}');
INSERT INTO public.facts VALUES ('\x236a30dfc50335fff81b21eb4d7686b79633f8569e105343ed63924e8a3a8cb3', 2, '\xfb770dbd487d14091938ba317382260f', '\x673f99b2bb11c59544f4ef7d8370cb1f327e2ee33c0d81d8dba1b62665ffe42bcb5642a54d0c9e7821cd7122e2d4cfc77106f1b402afba0f17678a2fe102cbe3401ccd82d38f22dfe89d24c8b742daa413359314595b8394a2c0efa36c2dfeb3245ccc006c16b6f2e2d42839b81d4f28cd2f12c9bd807a22db5459d7cc9f66a408c1ba3800dfcae0b6cee24a080e6eebca5e2dada0f8b58a39b06487bd3fc387b732cf', 'observed', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', 0, 4, 1795829888947, 1795829888947, '{"at":1795829888947,"by":"rules","request":"85a3c649826148e1ab3ed97bbc3b7c5f"}');
INSERT INTO public.facts VALUES ('\x236a30dfc50335fff81b21eb4d7686b79633f8569e105343ed63924e8a3a8cb3', 4, '\x98d6cd8f4d6eee5efd97258086e12ce4', '\xc5fe4431ed8ad098c0e4d1bcc55083d8d93efb3b3de8752b8f6afadf379c974cdf003cde97437b5e7b2a849b7a9e09738a1889cffb4728d32b5ee7f7a1d36852236416928fed81bc4954afbc362cc81db1d8c0b1f7f2cdfd5794c258a3cd2289d4838128c7c58bb12f2ae1d3bd07c766bdeb4a70e5c7db57', 'observed', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', 1, 5, 1795829888953, 1795829888953, '{"at":1795829888953,"by":"rules","request":"730694be0e23469bb3ab6a8219c17fa3"}');


--
-- Data for Name: grants; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.grants VALUES ('\x236624a3b8fef721daabd412cb0c12f014078a029a6ac9e936e7d67b11cb46c7', '0a937160-fea9-48ef-8c81-3a0ffe1c77c4', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', 127, 'agent', 1795829888956, NULL, NULL, NULL, 1795829888962, 1, 1795829888964, 1795829888956);
INSERT INTO public.grants VALUES ('\x236a30dfc50335fff81b21eb4d7686b79633f8569e105343ed63924e8a3a8cb3', 'd2bc5308-1414-4f02-b565-844ace1a2358', '4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', 127, 'agent', 1795829888919, NULL, NULL, NULL, NULL, 1, 1795829889076, 1795829888919);


--
-- Data for Name: idempotency_claims; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: idempotency_keys; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: keys_to_destroy; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: meta; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.meta VALUES ('keys_check', '\x6481e292b8b57353df2076c30fd7c23d5cee7ac225062469793d4d98c5884f67');


--
-- Data for Name: oauth_connections; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: oidc_sign_ins; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: quota; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: recovery_codes; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: request_days; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: request_log; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: second_factors; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: sessions; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: sign_in_links; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: team_invitations; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: usage_days; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.usage_days VALUES ('4ef5ea8d-f1ad-43ee-9cf3-d925efa6d0a1', '2026-11-28', 1, 5, 0, 0, 0);


--
-- Data for Name: user_key_notes; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: user_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.user_keys VALUES (0, '\xf996ed8efdf6c5c3', '\x0000000000000001f0f1bd927e4b430a7607bbcc69e0e798c82a9361663d9f8ba9c20a982728d5f7bc596d17c9ba908a64d6df15b33416d751e1092cce0ad6d15770aad8');
INSERT INTO public.user_keys VALUES (64, '\xe884e2b0241b8542', '\x00000000000000018bda7b48f182fb25a9fba5e61bde1d2e08a7028d07eb57673966f4be967f2e67734c7630352e8833a3e54e0169d754b1541e2b19831f72b322fbd565');


--
-- Data for Name: user_keys_spare; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.users VALUES ('\x236624a3b8fef721daabd412cb0c12f014078a029a6ac9e936e7d67b11cb46c7', NULL, NULL, NULL, 1, 2, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.users VALUES ('\x236a30dfc50335fff81b21eb4d7686b79633f8569e105343ed63924e8a3a8cb3', 64, '\xe884e2b0241b8542', '\xa11a8bac949f2353e4820bbc65218ffe798237256bde6bd8a9940be3ef1857', 0, 6, 1795829888953, 1, 0, NULL, NULL, NULL, NULL, NULL);


--
-- Data for Name: wrapping_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.wrapping_keys VALUES (1, false, false, '\xa88291918d1b523ac4ffafd0a0545a072efa673d86a909fede22717c47c2aadf00000000000000000000000000000000000000000000000000000000');


--
-- Data for Name: wrapping_keys_spare; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Name: user_key_slots; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.user_key_slots', 64, true);


--
-- Name: _sqlx_migrations _sqlx_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public._sqlx_migrations
    ADD CONSTRAINT _sqlx_migrations_pkey PRIMARY KEY (version);


--
-- Name: agent_profiles agent_profiles_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agent_profiles
    ADD CONSTRAINT agent_profiles_pkey PRIMARY KEY (agent_id);


--
-- Name: agents agents_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_pkey PRIMARY KEY (id);


--
-- Name: api_keys api_keys_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_hash_key UNIQUE (hash);


--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);


--
-- Name: audit audit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (user_key, id);


--
-- Name: consent_requests consent_requests_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.consent_requests
    ADD CONSTRAINT consent_requests_pkey PRIMARY KEY (user_key, agent_id);


--
-- Name: developer_sessions developer_sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.developer_sessions
    ADD CONSTRAINT developer_sessions_pkey PRIMARY KEY (token_hash);


--
-- Name: developers developers_email_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.developers
    ADD CONSTRAINT developers_email_key UNIQUE (email);


--
-- Name: developers developers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.developers
    ADD CONSTRAINT developers_pkey PRIMARY KEY (id);


--
-- Name: facts facts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.facts
    ADD CONSTRAINT facts_pkey PRIMARY KEY (user_key, scope, slot_hash);


--
-- Name: grants grants_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.grants
    ADD CONSTRAINT grants_pkey PRIMARY KEY (user_key, id);


--
-- Name: idempotency_claims idempotency_claims_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_claims
    ADD CONSTRAINT idempotency_claims_pkey PRIMARY KEY (key_hash, agent_id);


--
-- Name: idempotency_keys idempotency_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (agent_id, key_hash);


--
-- Name: keys_to_destroy keys_to_destroy_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.keys_to_destroy
    ADD CONSTRAINT keys_to_destroy_pkey PRIMARY KEY (user_key, key_slot, key_id);


--
-- Name: meta meta_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.meta
    ADD CONSTRAINT meta_pkey PRIMARY KEY (name);


--
-- Name: oauth_connections oauth_connections_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oauth_connections
    ADD CONSTRAINT oauth_connections_pkey PRIMARY KEY (user_key, id);


--
-- Name: oidc_sign_ins oidc_sign_ins_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.oidc_sign_ins
    ADD CONSTRAINT oidc_sign_ins_pkey PRIMARY KEY (state_hash);


--
-- Name: quota quota_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quota
    ADD CONSTRAINT quota_pkey PRIMARY KEY (agent_id, month);


--
-- Name: recovery_codes recovery_codes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (developer_id, code_hash);


--
-- Name: request_days request_days_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.request_days
    ADD CONSTRAINT request_days_pkey PRIMARY KEY (agent_id, day, route, status, code, micros);


--
-- Name: request_log request_log_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.request_log
    ADD CONSTRAINT request_log_pkey PRIMARY KEY (agent_id, id);


--
-- Name: second_factors second_factors_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.second_factors
    ADD CONSTRAINT second_factors_pkey PRIMARY KEY (developer_id);


--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (token_hash);


--
-- Name: sign_in_links sign_in_links_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sign_in_links
    ADD CONSTRAINT sign_in_links_pkey PRIMARY KEY (token_hash);


--
-- Name: team_invitations team_invitations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.team_invitations
    ADD CONSTRAINT team_invitations_pkey PRIMARY KEY (id);


--
-- Name: team_invitations team_invitations_token_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.team_invitations
    ADD CONSTRAINT team_invitations_token_hash_key UNIQUE (token_hash);


--
-- Name: usage_days usage_days_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.usage_days
    ADD CONSTRAINT usage_days_pkey PRIMARY KEY (agent_id, day);


--
-- Name: user_key_notes user_key_notes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_key_notes
    ADD CONSTRAINT user_key_notes_pkey PRIMARY KEY (name);


--
-- Name: user_keys user_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_keys
    ADD CONSTRAINT user_keys_pkey PRIMARY KEY (slot);


--
-- Name: user_keys_spare user_keys_spare_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_keys_spare
    ADD CONSTRAINT user_keys_spare_pkey PRIMARY KEY (slot);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (user_key);


--
-- Name: wrapping_keys wrapping_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wrapping_keys
    ADD CONSTRAINT wrapping_keys_pkey PRIMARY KEY (number, outgoing);


--
-- Name: wrapping_keys_spare wrapping_keys_spare_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wrapping_keys_spare
    ADD CONSTRAINT wrapping_keys_spare_pkey PRIMARY KEY (number, outgoing);


--
-- Name: agents_developer; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX agents_developer ON public.agents USING btree (developer_id);


--
-- Name: api_keys_agent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_keys_agent ON public.api_keys USING btree (agent_id);


--
-- Name: api_keys_end; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_keys_end ON public.api_keys USING btree (expires_at) WHERE ((revoked_at IS NULL) AND (expires_at IS NOT NULL));


--
-- Name: audit_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_at ON public.audit USING btree (at);


--
-- Name: consent_requests_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX consent_requests_age ON public.consent_requests USING btree (last_at);


--
-- Name: consent_requests_agent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX consent_requests_agent ON public.consent_requests USING btree (agent_id);


--
-- Name: developers_team; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX developers_team ON public.developers USING btree (team_id);


--
-- Name: grants_agent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX grants_agent ON public.grants USING btree (agent_id) WHERE (latest = 1);


--
-- Name: grants_end; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX grants_end ON public.grants USING btree (expires_at) WHERE ((latest = 1) AND (expired_at IS NULL));


--
-- Name: grants_latest; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX grants_latest ON public.grants USING btree (user_key, agent_id) WHERE (latest = 1);


--
-- Name: idempotency_claims_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_claims_age ON public.idempotency_claims USING btree (created_at);


--
-- Name: idempotency_keys_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (created_at);


--
-- Name: idempotency_keys_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_keys_user ON public.idempotency_keys USING btree (user_key) WHERE (user_key IS NOT NULL);


--
-- Name: oauth_connections_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX oauth_connections_age ON public.oauth_connections USING btree (renewed_at);


--
-- Name: request_log_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX request_log_at ON public.request_log USING btree (at);


--
-- Name: sessions_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sessions_user ON public.sessions USING btree (user_key);


--
-- Name: team_invitations_team; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX team_invitations_team ON public.team_invitations USING btree (team_id);


--
-- Name: users_auto_delete; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX users_auto_delete ON public.users USING btree (auto_delete_at) WHERE (auto_delete_at IS NOT NULL);


--
-- Name: agents agents_developer_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_developer_id_fkey FOREIGN KEY (developer_id) REFERENCES public.developers(id);


--
-- Name: api_keys api_keys_agent_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES public.agents(id);


--
-- Name: developer_sessions developer_sessions_developer_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.developer_sessions
    ADD CONSTRAINT developer_sessions_developer_id_fkey FOREIGN KEY (developer_id) REFERENCES public.developers(id);


--
-- Name: developers developers_team_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.developers
    ADD CONSTRAINT developers_team_id_fkey FOREIGN KEY (team_id) REFERENCES public.developers(id);


--
-- Name: recovery_codes recovery_codes_developer_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_developer_id_fkey FOREIGN KEY (developer_id) REFERENCES public.developers(id);


--
-- Name: second_factors second_factors_developer_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.second_factors
    ADD CONSTRAINT second_factors_developer_id_fkey FOREIGN KEY (developer_id) REFERENCES public.developers(id);


--
-- Name: team_invitations team_invitations_team_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.team_invitations
    ADD CONSTRAINT team_invitations_team_id_fkey FOREIGN KEY (team_id) REFERENCES public.developers(id);


--
-- PostgreSQL database dump complete
--

\unrestrict 80e0YEJhbnmTPPayp9qonAQ7ia5407ehgw78pZBmP8upkWARcR7kZZkGOPI3tGR

