-- The database roles of Bailiwick. Run once as a superuser, before `bailiwick migrate`; running it again changes nothing.
-- Give bailiwick_migrator, bailiwick_app and bailiwick_sequencer a password or another way in; bailiwick_hot never logs in.
do $$
declare
  one text;
begin
  foreach one in array array['bailiwick_migrator', 'bailiwick_app', 'bailiwick_sequencer'] loop
    if not exists (select 1 from pg_roles where rolname = one) then
      execute format('create role %I login', one);
    end if;
  end loop;
  if not exists (select 1 from pg_roles where rolname = 'bailiwick_hot') then
    create role bailiwick_hot nologin;
  end if;
  -- The migrations hand bailiwick_hot to bailiwick_app.
  if not exists (
    select 1 from pg_auth_members m join pg_roles r on r.oid = m.member join pg_roles g on g.oid = m.roleid
    where r.rolname = 'bailiwick_migrator' and g.rolname = 'bailiwick_hot' and m.admin_option
  ) then
    grant bailiwick_hot to bailiwick_migrator with admin option;
  end if;
end $$;
