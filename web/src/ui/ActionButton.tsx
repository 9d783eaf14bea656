import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import type { MouseEventHandler, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AllowedVerdict } from '../api/gen/types.gen';
import { codeText } from '../i18n/texts';

type Props = ButtonProps & {
  /** What the server said about this action; absent means that it has not said no. */
  permission?: AllowedVerdict;
  onClick: MouseEventHandler<HTMLButtonElement>;
  /** The accessible name, where the visible text says too little. */
  label?: string;
  type?: 'button' | 'submit';
  children: ReactNode;
};

/** A button for a guarded action. One that may not be used stays reachable and says why. */
export function ActionButton({ permission, onClick, label, children, ...rest }: Props) {
  const { t } = useTranslation();
  if (permission?.verdict !== 'deny') {
    return (
      <Button {...rest} aria-label={label} onClick={onClick}>
        {children}
      </Button>
    );
  }
  const reason = codeText(t, permission.reason ?? 'policy');
  return (
    <Tooltip label={reason} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
      <Button
        {...rest}
        aria-label={label}
        data-disabled
        aria-disabled
        aria-description={reason}
        onClick={(event) => event.preventDefault()}
      >
        {children}
      </Button>
    </Tooltip>
  );
}
