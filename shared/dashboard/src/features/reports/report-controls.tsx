import { isZone, laterMonth, monthAt } from "@realmwatch/shared/view/report/report-range";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { NameSelect } from "../../components/controls/name-select.tsx";
import { RealmSelect } from "../../components/controls/realm-select.tsx";
import type { ReportSearch } from "./report-search-parameters.ts";

/** Months that can be chosen from the list; earlier ones by steps and in the address. */
const listedMonths = 36;

type ReportControlsProps = {
  search: ReportSearch;
  zone: string;
  month: string;
  nowMs: number;
  /** Replaces parameters of the address; an empty one is left out. */
  onChange: (search: ReportSearch) => void;
};

/** Choice of the range, its zone and the rows of a report. */
export function ReportControls(props: ReportControlsProps) {
  const { search, zone, onChange } = props;
  const [kind = "slo", label = ""] = (search.by ?? "slo").split(/:(.*)/s);
  return (
    <div className="wrapped report-controls no-print">
      {search.from !== undefined ? (
        <>
          <DateField label="From" value={search.from} onChange={(from) => onChange({ from })} />
          <DateField label="Before" value={search.to ?? ""} onChange={(to) => onChange({ to })} />
          <ActionButton tone="small" onClick={() => onChange({ from: "", to: "" })}>
            Whole month
          </ActionButton>
        </>
      ) : (
        <MonthControls {...props} />
      )}
      <NameSelect
        label="Time zone"
        names={["UTC", ...Intl.supportedValuesOf("timeZone")]}
        value={zone}
        onChange={(chosen) => onChange({ zone: chosen })}
      />
      <select aria-label="Rows" value={kind} onChange={(event) => onChange({ by: byOf(event.target.value) })}>
        <option value="slo">By objective</option>
        <option value="realm">By realm</option>
        <option value="label">By label</option>
      </select>
      {kind === "label" && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            onChange({ by: byOf("label", String(new FormData(event.currentTarget).get("key"))) });
          }}
        >
          <input name="key" aria-label="Key of the label" key={label} defaultValue={label} required />{" "}
          <button type="submit" className="button is-small">
            Show
          </button>
        </form>
      )}
      <RealmSelect realm={search.realm ?? ""} onChange={(realm) => onChange({ realm })} none="All realms" />
    </div>
  );
}

function MonthControls({ zone, month, nowMs, onChange }: ReportControlsProps) {
  const present = monthAt(nowMs, isZone(zone) ? zone : "UTC");
  const months = Array.from({ length: listedMonths }, (_, ago) => laterMonth(present, -ago));
  return (
    <>
      <ActionButton tone="small" onClick={() => onChange({ month: laterMonth(month, -1) })}>
        Previous month
      </ActionButton>
      <NameSelect label="Month" names={months} value={month} onChange={(chosen) => onChange({ month: chosen })} />
      <ActionButton tone="small" disabled={month >= present} onClick={() => onChange({ month: laterMonth(month, 1) })}>
        Next month
      </ActionButton>
      <ActionButton tone="small" onClick={() => onChange({ from: `${month}-01`, to: `${laterMonth(month, 1)}-01` })}>
        Free range
      </ActionButton>
    </>
  );
}

const byOf = (kind: string, key = "app"): string => (kind === "label" ? `label:${key}` : kind);

type DateFieldProps = { label: string; value: string; onChange: (value: string) => void };

const DateField = ({ label, value, onChange }: DateFieldProps) => (
  <label className="report-date">
    {label} <input type="date" value={value} onChange={(event) => onChange(event.currentTarget.value)} />
  </label>
);
