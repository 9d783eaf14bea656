import { Container, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { LanguageSwitch } from './LanguageSwitch';

/** A page for somebody who is not signed in yet: one card and the language. */
export function BarePage({ title, about, children }: { title: string; about?: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} – Bailiwick`;
  }, [title]);
  return (
    <Container size="xs" py="xl">
      <Stack>
        <Group justify="space-between" component="header">
          <Text fw={700}>Bailiwick</Text>
          <LanguageSwitch />
        </Group>
        <Paper withBorder p="xl" component="main">
          <Stack>
            <Title order={1} size="h2">
              {title}
            </Title>
            {about && <Text c="dimmed">{about}</Text>}
            {children}
          </Stack>
        </Paper>
      </Stack>
    </Container>
  );
}
