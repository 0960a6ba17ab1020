import { type ComponentProps, type ReactNode, useId } from "react";
import { useAppContext, usePreference } from "../../api/context/app-context.tsx";
import { useIdentity, useServerInfo } from "../../api/server/server-info.ts";
import "./dialogs.css";

type FormFieldProps = { label: string; hint?: string; children: (id: string) => ReactNode };

export function FormField({ label, hint, children }: FormFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id)}
      {hint !== undefined && <p className="hint">{hint}</p>}
    </div>
  );
}

type TextFieldProps = Omit<FormFieldProps, "children"> &
  Omit<ComponentProps<"input">, "id" | "onChange" | "value"> & { value: string; onChange: (text: string) => void };

/** Field of one line, without suggestions unless `autoComplete` says otherwise. */
export function TextField({ label, hint, onChange, ...input }: TextFieldProps) {
  return (
    <FormField label={label} {...(hint === undefined ? {} : { hint })}>
      {(id) => (
        <input type="text" autoComplete="off" {...input} id={id} onChange={(event) => onChange(event.target.value)} />
      )}
    </FormField>
  );
}

type CheckFieldProps = { label: string; hint: string; checked: boolean; onChange: (checked: boolean) => void };

export function CheckField({ label, hint, checked, onChange }: CheckFieldProps) {
  const id = useId();
  return (
    <div className="check-field">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        aria-describedby={`${id}-hint`}
      />
      <label htmlFor={id}>{label}</label>
      <span id={`${id}-hint`} className="hint">
        {hint}
      </span>
    </div>
  );
}

export function CommentField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  return (
    <FormField label="Comment (required)">
      {(id) => <textarea id={id} rows={3} required value={value} onChange={(event) => onChange(event.target.value)} />}
    </FormField>
  );
}

/** Author of a command: the identity if the server authenticates, else a text that is remembered. */
export function AuthorField() {
  const { preferences } = useAppContext();
  const author = usePreference("author");
  const { info } = useServerInfo();
  const identity = useIdentity();
  if (info?.authEnabled === true)
    return (
      <p className="hint">
        Recorded as <strong>{identity?.name ?? "your identity"}</strong>.
      </p>
    );
  return (
    <TextField
      label="Author"
      autoComplete="name"
      placeholder="Your name"
      value={author}
      onChange={(author) => preferences.set((before) => ({ ...before, author }))}
    />
  );
}

type ChoicesProps<T extends string> = {
  legend: string;
  choices: readonly { value: T; label: string }[];
  /** Chosen value; undefined when it is not among the choices. */
  value: T | undefined;
  onChange: (value: T) => void;
};

/** Radio buttons in the form of a row of chips. */
export function ChoiceField<T extends string>({ legend, choices, value, onChange }: ChoicesProps<T>) {
  const name = useId();
  return (
    <fieldset className="wrapped choices">
      <legend>{legend}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className="choice">
          <input type="radio" name={name} checked={choice.value === value} onChange={() => onChange(choice.value)} />
          <span>{choice.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
