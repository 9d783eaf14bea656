import { Code, Drawer, ScrollArea, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { auditRead } from '../api/gen/sdk.gen';
import type { AuditRecordInFull } from '../api/gen/types.gen';
import { actionText, codeText, wordOf } from '../i18n/texts';
import { useFormat } from '../i18n/useFormat';
import { Async } from '../ui/Async';
import { Facts } from '../ui/Facts';
import { LinkFacts } from './LinkFacts';

/** One record in full: what happened, the personal fields that can still be opened, and the hashes that hold it in place. */
export function RecordDrawer({ org, sbx, rec, close }: { org: string; sbx?: string; rec: string; close: () => void }) {
  const { t } = useTranslation();
  const detail = useQuery({
    queryKey: ['organisation', org, 'audit', 'record', rec, sbx],
    queryFn: ({ signal }) => auditRead({ path: { org, rec }, query: { sandbox: sbx }, signal }),
  });
  return (
    <Drawer opened onClose={close} position="right" size="xl" title={t('audit.record')} closeButtonProps={{ 'aria-label': t('close') }}>
      <Async query={detail}>{(found) => <Detail detail={found} />}</Async>
    </Drawer>
  );
}

function Detail({ detail: { record, body, bytes, leaf, links } }: { detail: AuditRecordInFull }) {
  const { t } = useTranslation();
  const format = useFormat();
  const none = t('none');
  return (
    <Stack>
      <Facts
        label={t('audit.record')}
        rows={[
          [t('id'), record.id],
          [t('at'), format.moment(record.at)],
          [t('audit.action'), `${actionText(t, record.action)} (${record.action})`],
          [t('audit.actor'), [record.actor.name, record.actor.id].filter(Boolean).join(' · ') || record.actor.kind],
          [t('audit.target'), `${record.target.kind} ${record.target.id}`],
          [t('sandbox.one'), record.sandboxId ?? none],
          [t('audit.decision'), wordOf(t, 'verdict', record.decision)],
          [t('audit.outcome'), wordOf(t, 'outcome', record.outcome)],
          [t('audit.reason'), record.reason ? codeText(t, record.reason) : none],
          [t('audit.sealed'), record.sealed ? t('yes') : t('audit.notYet')],
        ]}
      />
      <Block title={t('audit.body')} text={JSON.stringify(body, null, 2)} />
      <Title order={3} size="h5">
        {t('audit.hashes')}
      </Title>
      <Facts label={t('audit.leaf')} rows={[[t('audit.leaf'), <Code key="leaf">{leaf}</Code>]]} />
      {links.length === 0 && <Text size="sm">{t('audit.noLinks')}</Text>}
      {links.map((link) => (
        <LinkFacts key={`${link.chain} ${link.seq}`} link={link} />
      ))}
      <Block title={t('audit.bytes')} text={bytes} />
    </Stack>
  );
}

function Block({ title, text }: { title: string; text: string }) {
  return (
    <section>
      <Title order={3} size="h5" mb="xs">
        {title}
      </Title>
      <ScrollArea.Autosize mah={320} viewportProps={{ tabIndex: 0, role: 'group', 'aria-label': title }}>
        <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {text}
        </Code>
      </ScrollArea.Autosize>
    </section>
  );
}
