-- The tenants, the people and what governs them. The audit trail's own tables follow in the next migration.
--
-- Roles: the owner of this schema migrates; `bailiwick_app` serves requests and is fenced by row-level security;
-- `bailiwick_hot` is what a hot-path transaction lowers itself to; `bailiwick_sequencer` touches audit tables only.
do $$
declare name text;
begin
  foreach name in array array['bailiwick_app', 'bailiwick_hot', 'bailiwick_sequencer'] loop
    if not exists (select 1 from pg_roles where rolname = name) then
      raise exception 'the database role % is missing', name
        using hint = 'Create the roles first: see "Database roles" in docs/operations.md.';
    end if;
  end loop;
end $$;

grant usage on schema public to bailiwick_app, bailiwick_hot, bailiwick_sequencer;

-- What the gate tells the database about the caller, for this transaction only.
create function app_org() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('app.org', true), '')::uuid $$;
create function app_account() returns uuid language sql stable parallel safe
  as $$ select nullif(current_setting('app.account', true), '')::uuid $$;
-- True only while the gate proves who somebody is: a visitor's credential has to be found before its owner is known.
create function app_identifying() returns boolean language sql stable parallel safe
  as $$ select coalesce(current_setting('app.lookup', true), '') = 'identity' $$;

-- The third net: a change commits only beside an audit record of the same transaction and, for a tenant's row, of the same tenant.
-- The argument names the column that holds the tenant; without one any record of the transaction will do.
create function require_audit() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  tenant uuid;
begin
  if exists (select 1 from pg_roles where rolname = session_user and rolsuper)
     or session_user = (select tableowner from pg_tables where schemaname = 'public' and tablename = tg_table_name) then
    return null;
  end if;
  if tg_nargs > 0 then
    tenant := (to_jsonb(case when tg_op = 'DELETE' then old else new end) ->> tg_argv[0])::uuid;
  end if;
  if not exists (
    select 1 from audit_pending
    where xact = pg_current_xact_id() and (tenant is null or org_id = tenant)
  ) then
    raise exception 'a change to % has no audit record in its transaction', tg_table_name using errcode = 'BW002';
  end if;
  return null;
end $$;

-- People -----------------------------------------------------------------------------------------------------------

create table account (
  id uuid primary key,
  email text not null unique,
  email_typed text not null,
  name text not null,
  operator boolean not null default false,
  revision bigint not null default 1,
  created_at timestamptz not null
);

create table passkey (
  id uuid primary key,
  account_id uuid not null references account (id) on delete cascade,
  credential_id bytea not null unique,
  credential jsonb not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkey_account on passkey (account_id);

create table sign_in (
  id uuid primary key,
  account_id uuid not null references account (id) on delete cascade,
  method text not null,
  scope text not null default 'anywhere',
  network_address text,
  created_at timestamptz not null,
  seen_at timestamptz not null,
  idle_expires_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  ended_reason text
);
create index sign_in_account on sign_in (account_id, created_at);

create table session (
  id_hash bytea primary key,
  data jsonb not null,
  expires_at timestamptz not null
);
create index session_expiry on session (expires_at);

create table ceremony (
  id uuid primary key,
  kind text not null,
  state jsonb not null,
  expires_at timestamptz not null
);
create index ceremony_expiry on ceremony (expires_at);

create table first_owner_link (
  id uuid primary key,
  token_hash bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);

-- Tenants ----------------------------------------------------------------------------------------------------------

create table organisation (
  org_id uuid primary key,
  name text not null,
  status text not null default 'active' check (status in ('active', 'terminating')),
  revision bigint not null default 1,
  created_at timestamptz not null
);
create index organisation_terminating on organisation (org_id) where status = 'terminating';

create table organisation_member (
  org_id uuid not null references organisation (org_id),
  id uuid not null,
  account_id uuid not null references account (id),
  role text not null check (role in ('owner', 'admin', 'auditor', 'member')),
  revision bigint not null default 1,
  created_at timestamptz not null,
  primary key (org_id, id),
  unique (org_id, account_id)
);
create index organisation_member_account on organisation_member (account_id, org_id);
create index organisation_member_page on organisation_member (org_id, created_at, id);
create index organisation_member_owner on organisation_member (org_id, created_at) where role = 'owner';

create table sandbox (
  org_id uuid not null references organisation (org_id),
  id uuid not null,
  name text not null,
  status text not null default 'active' check (status in ('active', 'terminating')),
  owner_account_id uuid not null,
  revision bigint not null default 1,
  created_at timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, owner_account_id) references organisation_member (org_id, account_id)
);
create index sandbox_owner on sandbox (owner_account_id, org_id);
create index sandbox_page on sandbox (org_id, created_at, id);
create index sandbox_terminating on sandbox (org_id, id) where status = 'terminating';

create table area (
  org_id uuid not null,
  sandbox_id uuid not null,
  id uuid not null,
  name text not null,
  revision bigint not null default 1,
  created_at timestamptz not null,
  primary key (org_id, sandbox_id, id),
  unique (org_id, sandbox_id, name),
  foreign key (org_id, sandbox_id) references sandbox (org_id, id)
);

create table sandbox_member (
  org_id uuid not null,
  sandbox_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  role text not null check (role in ('guest', 'viewer', 'collaborator', 'writer', 'maintainer')),
  areas text[],
  agents text check (agents in ('off', 'chat', 'run')),
  edit jsonb,
  email_sign_in boolean not null default false,
  revision bigint not null default 1,
  created_at timestamptz not null,
  primary key (org_id, sandbox_id, id),
  unique (org_id, sandbox_id, account_id),
  foreign key (org_id, sandbox_id) references sandbox (org_id, id),
  foreign key (org_id, account_id) references organisation_member (org_id, account_id)
);
create index sandbox_member_account on sandbox_member (account_id, org_id, sandbox_id);
create index sandbox_member_page on sandbox_member (org_id, sandbox_id, created_at, id);

create table invitation (
  org_id uuid not null references organisation (org_id),
  id uuid not null,
  sandbox_id uuid,
  email text not null,
  role text not null,
  areas text[],
  agents text,
  edit jsonb,
  email_sign_in boolean not null default false,
  token_hash bytea not null unique,
  invited_by uuid not null,
  state text not null default 'open' check (state in ('open', 'accepted', 'declined', 'revoked')),
  revision bigint not null default 1,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  primary key (org_id, id),
  foreign key (org_id, sandbox_id) references sandbox (org_id, id)
);
create unique index invitation_open on invitation (org_id, coalesce(sandbox_id, org_id), email) where state = 'open';
create index invitation_page on invitation (org_id, sandbox_id, created_at, id);

-- An active organisation always has an owner, whatever code or hand changes the rows.
create function keep_an_owner() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform 1 from organisation where org_id = old.org_id and status = 'active' for update;
  if found and not exists (select 1 from organisation_member where org_id = old.org_id and role = 'owner') then
    raise exception 'an organisation keeps at least one owner' using errcode = 'BW001';
  end if;
  return null;
end $$;
create constraint trigger organisation_keeps_an_owner after update or delete on organisation_member
  deferrable initially deferred for each row when (old.role = 'owner') execute function keep_an_owner();

-- What governs -----------------------------------------------------------------------------------------------------

-- scope_id is the organisation or one of its sandboxes; the highest version is in force.
create table policy_document (
  org_id uuid not null references organisation (org_id),
  scope_id uuid not null,
  version bigint not null,
  document jsonb not null,
  created_at timestamptz not null,
  created_by uuid not null,
  primary key (org_id, scope_id, version)
);

-- Absent is released; present and unreadable is engaged. That is why the state has no constraint that could reject it.
create table emergency (
  org_id uuid not null references organisation (org_id),
  scope_id uuid not null,
  state jsonb not null,
  revision bigint not null default 1,
  primary key (org_id, scope_id)
);

create table emergency_target (
  org_id uuid not null,
  scope_id uuid not null,
  kind text not null,
  target_id uuid not null,
  label text not null,
  state text not null check (state in ('requested', 'confirmed', 'unreachable')),
  primary key (org_id, scope_id, kind, target_id)
);

create table deletion_receipt (
  org_id uuid not null,
  kind text not null check (kind in ('organisation', 'sandbox')),
  target_id uuid not null,
  counts jsonb not null,
  removed_at timestamptz not null,
  primary key (org_id, kind, target_id)
);

-- Owned by the gate ------------------------------------------------------------------------------------------------

create table proposal (
  org_id uuid not null,
  id uuid not null,
  action text not null,
  version integer not null,
  operation jsonb not null,
  sandbox_id uuid,
  description jsonb not null,
  digest bytea not null,
  nonce bytea not null,
  policy_version text not null,
  target_revision bigint,
  requires integer not null check (requires in (1, 2)),
  proposed_by uuid not null,
  state text not null default 'open' check (state in ('open', 'executed', 'rejected', 'expired', 'void')),
  reason text,
  revision bigint not null default 1,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  parked_at timestamptz,
  frozen_at timestamptz,
  ended_at timestamptz,
  primary key (org_id, id)
);
create index proposal_open on proposal (org_id, created_at, id) where state = 'open';

create table proposal_approval (
  org_id uuid not null,
  proposal_id uuid not null,
  account_id uuid not null,
  ceremony jsonb,
  approved_at timestamptz,
  primary key (org_id, proposal_id, account_id),
  foreign key (org_id, proposal_id) references proposal (org_id, id) on delete cascade
);

create table idempotency (
  account_id uuid not null,
  key_hash bytea not null,
  request_digest bytea not null,
  output jsonb not null,
  receipt jsonb not null,
  created_at timestamptz not null,
  primary key (account_id, key_hash)
);
create index idempotency_age on idempotency (created_at);

create table session_entry (
  sign_in_id uuid not null references sign_in (id) on delete cascade,
  org_id uuid not null,
  entered_at timestamptz not null,
  primary key (sign_in_id, org_id)
);

create table revocation (
  id bigint generated always as identity primary key,
  xact xid8 not null default pg_current_xact_id(),
  org_id uuid,
  sandbox_id uuid,
  account_id uuid,
  sign_in_id uuid,
  at timestamptz not null
);
create index revocation_age on revocation (at);

-- For the job that finishes two-phase deletions: ids only, over all tenants.
create function terminating_scopes() returns table (org_id uuid, sandbox_id uuid)
  language sql stable security definer set search_path = public, pg_temp as $$
  select o.org_id, null::uuid from organisation o where o.status = 'terminating'
  union all
  select s.org_id, s.id from sandbox s join organisation o using (org_id)
  where s.status = 'terminating' and o.status = 'active'
$$;

-- For the job that ends overdue proposals: ids only, over all tenants.
create function overdue_proposals(now timestamptz) returns table (org_id uuid, proposal_id uuid)
  language sql stable security definer set search_path = public, pg_temp as $$
  select p.org_id, p.id from proposal p where p.state = 'open' and p.frozen_at is null and p.expires_at <= now limit 100
$$;

-- Fences -----------------------------------------------------------------------------------------------------------

alter table account enable row level security;
create policy mine on account using (id = app_account() or app_identifying());
create policy colleagues on account for select using (
  exists (select 1 from organisation_member m where m.org_id = app_org() and m.account_id = account.id));

alter table passkey enable row level security;
create policy mine on passkey using (account_id = app_account() or app_identifying());
alter table sign_in enable row level security;
create policy mine on sign_in using (account_id = app_account() or app_identifying());
alter table session_entry enable row level security;
create policy mine on session_entry using (
  exists (select 1 from sign_in s where s.id = session_entry.sign_in_id and s.account_id = app_account()));
alter table idempotency enable row level security;
create policy mine on idempotency using (account_id = app_account());

alter table organisation enable row level security;
create policy tenant on organisation using (org_id = app_org());
create policy mine on organisation for select using (
  exists (select 1 from organisation_member m where m.org_id = organisation.org_id and m.account_id = app_account()));
alter table organisation_member enable row level security;
create policy tenant on organisation_member using (org_id = app_org());
create policy mine on organisation_member for select using (account_id = app_account());
alter table sandbox enable row level security;
create policy tenant on sandbox using (org_id = app_org());
create policy mine on sandbox for select using (
  owner_account_id = app_account()
  or exists (select 1 from sandbox_member m where m.org_id = sandbox.org_id and m.sandbox_id = sandbox.id and m.account_id = app_account()));
alter table sandbox_member enable row level security;
create policy tenant on sandbox_member using (org_id = app_org());
create policy mine on sandbox_member for select using (account_id = app_account());

do $$
declare name text;
begin
  foreach name in array array['area', 'invitation', 'policy_document', 'emergency', 'emergency_target', 'deletion_receipt',
                              'proposal', 'proposal_approval'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I using (org_id = app_org())', name);
  end loop;
  -- Every change of these is on record. The gate's own tables are bookkeeping of recorded operations and are left out.
  foreach name in array array['organisation', 'organisation_member', 'sandbox', 'area', 'sandbox_member', 'invitation',
                              'policy_document', 'emergency', 'emergency_target', 'deletion_receipt'] loop
    execute format('create constraint trigger audited after insert or update or delete on %I
                    deferrable initially deferred for each row execute function require_audit(''org_id'')', name);
  end loop;
  foreach name in array array['account', 'first_owner_link'] loop
    execute format('create constraint trigger audited after insert or update or delete on %I
                    deferrable initially deferred for each row execute function require_audit()', name);
  end loop;
end $$;
-- Last use and the authenticator's counter are not changes of a passkey; last use is not one of a sign-in.
create constraint trigger audited after insert or delete or update of account_id, credential_id, name on passkey
  deferrable initially deferred for each row execute function require_audit();
create constraint trigger audited_start after insert or delete on sign_in
  deferrable initially deferred for each row execute function require_audit();
create constraint trigger audited_end after update of ended_at, ended_reason, expires_at, scope, account_id on sign_in
  deferrable initially deferred for each row execute function require_audit();

grant select, insert, update, delete on
  account, passkey, first_owner_link, organisation, organisation_member, sandbox, area, sandbox_member, invitation,
  emergency, emergency_target, session_entry, idempotency, session
  to bailiwick_app;
grant select, insert, update on sign_in, proposal, proposal_approval to bailiwick_app;
grant delete on proposal, proposal_approval to bailiwick_app;
grant select, insert, delete on policy_document, ceremony, revocation to bailiwick_app;
grant select, insert on deletion_receipt to bailiwick_app;

-- A hot-path transaction can reach these and nothing else.
grant bailiwick_hot to bailiwick_app;
grant select on sign_in, account to bailiwick_hot;
grant update (seen_at, idle_expires_at) on sign_in to bailiwick_hot;
grant select, insert, delete on ceremony to bailiwick_hot;
