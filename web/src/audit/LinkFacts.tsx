import { Card, Code } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { AuditLink } from '../api/gen/types.gen';
import { Facts } from '../ui/Facts';

/** Where a record stands in one chain. */
export function LinkFacts({ link }: { link: AuditLink }) {
  const { t } = useTranslation();
  const hash = (value: string) => <Code>{value}</Code>;
  return (
    <Card withBorder p="xs">
      <Facts
        label={t('audit.link')}
        rows={[
          [t('audit.chain'), link.chain],
          [t('audit.seq'), String(link.seq)],
          [t('audit.link'), hash(link.link)],
          [t('audit.previous'), hash(link.previous)],
          [t('audit.mac'), hash(link.mac)],
        ]}
      />
    </Card>
  );
}
