-- The audit trail. A record is one byte string; everything beside it is derived from the bytes and checked against them.
--
-- The change's transaction inserts a record and its pending row and nothing else. The sequencer numbers and links what
-- is visible, so order is the order of sealing and a late commit is never skipped.

create table audit_record (
  record_id uuid not null,
  org_id uuid not null,
  sandbox_id uuid,
  at timestamptz not null,
  actor_kind text not null,
  actor_id text,
  action text not null,
  target_kind text not null,
  target_id text not null,
  decision text not null,
  outcome text not null,
  reason text,
  bytes bytea not null check (octet_length(bytes) between 2 and 65536),
  -- One index finds a record, pages a trail by (org_id, record_id) and keeps ids unique: ids begin with their time.
  primary key (org_id, record_id, at)
) partition by range (at);
create table audit_record_default partition of audit_record default;
create index audit_record_sandbox on audit_record (sandbox_id, record_id) where sandbox_id is not null;

create table audit_pending (
  record_id uuid primary key,
  org_id uuid not null,
  sandbox_id uuid,
  at timestamptz not null,
  xact xid8 not null default pg_current_xact_id(),
  -- Which sequencer takes it; an organisation stays in one shard.
  shard smallint not null generated always as (get_byte(uuid_send(org_id), 15) % 8) stored
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
create index audit_pending_xact on audit_pending (xact);

create table audit_link (
  chain_id uuid not null,
  record_id uuid not null,
  seq bigint not null check (seq > 0),
  epoch bigint not null,
  leaf bytea not null check (octet_length(leaf) = 32),
  link bytea not null check (octet_length(link) = 32),
  mac bytea not null check (octet_length(mac) = 32),
  primary key (chain_id, seq),
  unique (record_id, chain_id)
);

create table audit_head (
  chain_id uuid primary key,
  org_id uuid not null,
  seq bigint not null,
  link bytea not null,
  -- The RFC 6962 tree of an organisation's chain; a sandbox's chain has none.
  frontier bytea,
  -- Epoch of the authentication key for the next record.
  epoch bigint not null default 0,
  -- For a sandbox: the organisation's epoch when its own last began.
  org_epoch bigint not null default 0,
  -- Size that the newest checkpoint signed.
  checkpoint_size bigint not null default 0,
  -- Epoch of the lease that wrote last.
  fence bigint not null
) with (fillfactor = 50);
create index audit_head_org on audit_head (org_id);

create table audit_lease (
  shard smallint primary key,
  holder uuid not null,
  fence bigint not null,
  expires_at timestamptz not null
);

create table audit_checkpoint (
  chain_id uuid not null,
  epoch bigint not null,
  size bigint not null,
  root bytea not null,
  note text not null,
  signed_at timestamptz not null,
  primary key (chain_id, epoch),
  unique (chain_id, size)
);

-- Keys. All are wrapped under the key file's root key; nothing here opens anything without it.
create table tenant_key (
  org_id uuid not null,
  version integer not null,
  root_id text not null,
  wrapped bytea not null,
  created_at timestamptz not null,
  primary key (org_id, version)
);
-- One for each person and organisation; deleting it erases the person from the records of that organisation.
create table person_key (
  org_id uuid not null,
  id uuid not null,
  -- An account's id, or a keyed hash of an address.
  subject bytea not null,
  wrapped bytea not null,
  -- Whose transaction made it: a key may be remembered only once its row is committed.
  xact xid8 not null default pg_current_xact_id(),
  created_at timestamptz not null,
  primary key (org_id, subject),
  unique (id)
);
create table key_canary (
  root_id text primary key,
  sealed bytea not null,
  created_at timestamptz not null default now()
);

-- Whether anything here needs a root key, over all tenants: asked at the start, before any tenant is chosen.
create function keys_are_wrapped() returns boolean
  language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select 1 from person_key) or exists (select 1 from tenant_key)
$$;

-- Nobody changes what is written, whatever the grants say.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'BW003';
end $$;
create trigger append_only before update or delete on audit_record for each row execute function refuse_change();
create trigger append_only before update or delete on audit_link for each row execute function refuse_change();
create trigger append_only before update or delete on audit_checkpoint for each row execute function refuse_change();
create trigger append_only before update on audit_pending for each row execute function refuse_change();
create trigger append_only before delete on audit_head for each row execute function refuse_change();
create trigger append_only before update on key_canary for each row execute function refuse_change();
do $$
declare name text;
begin
  foreach name in array array['audit_record', 'audit_record_default', 'audit_link', 'audit_checkpoint', 'audit_pending', 'audit_head'] loop
    execute format('create trigger never_emptied before truncate on %I for each statement execute function refuse_change()', name);
  end loop;
end $$;

-- Makes the partitions of the months from the one before `from_day` on. Where the default partition already holds rows of
-- a month, that month stays there.
create function audit_make_partitions(from_day date, months integer) returns integer
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  made integer := 0;
  first date;
  name text;
begin
  if months not between 0 and 36 then
    raise exception 'between 0 and 36 months';
  end if;
  perform pg_advisory_xact_lock(hashtext('audit_make_partitions'));
  for step in -1 .. months loop
    first := (date_trunc('month', from_day) + make_interval(months => step))::date;
    name := format('audit_record_%s', to_char(first, 'YYYY_MM'));
    if to_regclass(format('public.%I', name)) is null
       and not exists (select 1 from audit_record_default
                       where at >= first::timestamp at time zone 'UTC'
                         and at < (first + interval '1 month')::timestamp at time zone 'UTC') then
      execute format(
        'create table public.%I partition of public.audit_record for values from (%L) to (%L)', name,
        first::timestamp at time zone 'UTC', (first + interval '1 month')::timestamp at time zone 'UTC');
      execute format(
        'create trigger never_emptied before truncate on public.%I for each statement execute function public.refuse_change()', name);
      made := made + 1;
    end if;
  end loop;
  return made;
end $$;
revoke execute on function audit_make_partitions(date, integer) from public;
grant execute on function audit_make_partitions(date, integer) to bailiwick_sequencer;
select audit_make_partitions((now() at time zone 'UTC')::date, 3);

-- Fences. A chain is its organisation's own or the head row says whose it is.
do $$
declare name text;
begin
  foreach name in array array['audit_record', 'audit_pending', 'audit_head', 'person_key', 'tenant_key'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I to bailiwick_app using (org_id = app_org())', name);
  end loop;
  foreach name in array array['audit_link', 'audit_checkpoint'] loop
    execute format('alter table %I enable row level security', name);
    execute format('create policy tenant on %I for select to bailiwick_app using (
      exists (select 1 from audit_head h where h.chain_id = %1$I.chain_id and h.org_id = app_org()))', name);
  end loop;
  -- The sequencer crosses tenants, on these tables only.
  foreach name in array array['audit_record', 'audit_pending', 'audit_head', 'audit_link', 'audit_checkpoint'] loop
    execute format('create policy sealing on %I to bailiwick_sequencer using (true) with check (true)', name);
  end loop;
end $$;

grant select, insert on audit_record, audit_pending, person_key, tenant_key to bailiwick_app;
grant select on audit_link, audit_head, audit_checkpoint to bailiwick_app;
grant delete on person_key to bailiwick_app;
grant select, insert on key_canary to bailiwick_app;

grant select on audit_record to bailiwick_sequencer;
grant select, delete on audit_pending to bailiwick_sequencer;
grant select, insert on audit_link, audit_checkpoint to bailiwick_sequencer;
grant select, insert, update on audit_head, audit_lease to bailiwick_sequencer;
