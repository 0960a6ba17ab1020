import type { StatusItem } from "../../api/status/status-item.ts";
import { useDowntimes } from "../../api/status/use-downtimes.ts";
import { ChoiceField, FormField, TextField } from "../../components/controls/form-fields.tsx";
import { useShortTime } from "../../components/time/time-text.tsx";
import { type DowntimeKindForm, downtimeKinds } from "./downtime-kind.ts";

type DowntimeKindFieldsProps = {
  form: DowntimeKindForm;
  onChange: (form: DowntimeKindForm) => void;
  targets: readonly StatusItem[];
};

/** Kind of a downtime with an explanation, and the field that it needs. */
export function DowntimeKindFields({ form, onChange, targets }: DowntimeKindFieldsProps) {
  return (
    <>
      <ChoiceField
        legend="Kind"
        choices={downtimeKinds}
        value={form.kind}
        onChange={(kind) => onChange({ ...form, kind })}
      />
      <p className="hint">{downtimeKinds.find(({ value }) => value === form.kind)?.hint}</p>
      {form.kind === "flexible" && (
        <TextField
          label="Lasts"
          hint="90m, 2h, 1d"
          value={form.lasts}
          onChange={(lasts) => onChange({ ...form, lasts })}
        />
      )}
      {form.kind === "triggered" && <TriggerField form={form} onChange={onChange} targets={targets} />}
    </>
  );
}

/** Choice of the downtime that starts a triggered one, among those of the objects' realm. */
function TriggerField({ form, onChange, targets }: DowntimeKindFieldsProps) {
  const { downtimes } = useDowntimes();
  const shortTime = useShortTime();
  const realm = targets[0]?.realm ?? "";
  if (targets.some((target) => target.realm !== realm))
    return <p className="warning-text">The objects are in several realms; a downtime triggers only in its own.</p>;
  const choices = (downtimes ?? [])
    .filter(({ kind }) => kind !== "recurring")
    .flatMap(({ parts, comment, startMs }) => parts.map((part) => ({ ...part, comment, startMs })))
    .filter(({ item }) => item.realm === realm);
  if (choices.length === 0) return <p className="warning-text">There is no downtime that could trigger this one.</p>;
  return (
    <FormField label="Triggered by">
      {(id) => (
        <select
          id={id}
          value={form.triggeredBy}
          onChange={(event) => onChange({ ...form, triggeredBy: event.target.value })}
        >
          <option value="">Choose a downtime</option>
          {choices.map(({ id: downtimeId, name, comment, startMs }) => (
            <option key={downtimeId} value={downtimeId}>
              {name}: {comment} ({shortTime(startMs)})
            </option>
          ))}
        </select>
      )}
    </FormField>
  );
}
