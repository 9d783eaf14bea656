import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

/** The heading of a page, what the page is for, and its main controls. Also names the browser's tab. */
export function PageHead({ title, about, children }: { title: string; about?: string; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} – Bailiwick`;
  }, [title]);
  return (
    <Stack gap={4}>
      <Group justify="space-between" align="flex-start">
        <Title order={1} size="h2">
          {title}
        </Title>
        <Group gap="xs">{children}</Group>
      </Group>
      {about && (
        <Text c="dimmed" maw={720}>
          {about}
        </Text>
      )}
    </Stack>
  );
}
