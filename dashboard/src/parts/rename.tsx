// The dialog that gives an account or a project another name.

import { useState } from 'react';
import { Input } from '../ui/field.tsx';
import { changing, Dialog } from './dialog.tsx';
import { Field } from './refusal.tsx';

export interface RenameProps {
  readonly what: string;
  readonly present: string;
  readonly description: string;
  readonly change: Parameters<typeof changing<{ readonly name: string }, unknown>>[1];
}

/** Dialog to change a name. */
export function Rename({ what, present, description, change }: RenameProps) {
  const [typed, setTyped] = useState(present);
  const name = typed.trim();
  return (
    <Dialog header={`Rename ${what}`} {...changing('Rename', change, { name }, { disabled: name === '' || name === present })}>
      <Field label="Name" description={description}>
        <Input value={typed} change={setTyped} />
      </Field>
    </Dialog>
  );
}
