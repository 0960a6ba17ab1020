import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { useContacts } from "../../api/contacts/use-contacts.ts";
import { useAppContext, usePreference } from "../../api/context/app-context.tsx";
import { FoldedFilters } from "../../components/controls/folded-filters.tsx";
import { NameSelect } from "../../components/controls/name-select.tsx";
import { RangeChoice } from "../../components/controls/range-choice.tsx";
import { RealmSelect } from "../../components/controls/realm-select.tsx";
import { PageHead } from "../../components/page-title/page-head.tsx";
import { formatZone } from "../../components/time/format-date-time.ts";
import { formatPastInstant, parsePastInstant } from "../../components/time/past-instant.ts";
import { fromInputValue, toInputValue } from "../../components/time/wall-time.ts";
import { HistoryExport } from "../../features/history/history-export.tsx";
import { HistoryList } from "../../features/history/history-list.tsx";
import {
  type HistorySearch,
  historyGroupFilters,
  historyRanges,
  historyRequestOf,
  historyTypeFilters,
} from "../../features/history/history-search.ts";
import { SelectorField } from "../../features/object-list/search/selector-field.tsx";

/** History of all objects and realms, newest first. */
export function HistoryPage() {
  const { now } = useAppContext();
  const search = useSearch({ from: "/history" });
  const navigate = useNavigate({ from: "/history" });
  const change = (part: HistorySearch): void =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const { show, realm, contact, actor, q, range, until } = search;
  // The beginning stays as it is until the search changes, so that the list is not loaded anew all the time.
  const request = useMemo(() => historyRequestOf(search, now.get()), [search, now]);
  return (
    <>
      <PageHead title="History" />
      <div className="wrapped toolbar history-tools">
        <EnteredField
          type="search"
          label="Text in object, output or comment"
          placeholder="Object or text"
          value={search.text ?? ""}
          onChange={(text) => change({ text })}
        />
        <FoldedFilters values={[show, realm, contact, actor, q, range, until]} done="Show the history">
          <ShowSelect show={show} onChange={(show) => change({ show })} />
          <RealmSelect realm={search.realm ?? ""} onChange={(realm) => change({ realm })} none="All realms" />
          <ContactSelect contact={search.contact ?? ""} onChange={(contact) => change({ contact })} />
          <EnteredField
            label="Actor"
            placeholder="Who did it"
            value={search.actor ?? ""}
            onChange={(actor) => change({ actor })}
          />
          <SelectorField
            label="Selector of objects"
            placeholder="Selector: env=prod"
            value={search.q ?? ""}
            onApply={(q) => change({ q })}
          />
          <RangeChoice
            label="Range of the history"
            choices={["all", ...historyRanges]}
            value={search.range ?? "all"}
            onChange={(range) => change({ range: range === "all" ? "" : range })}
          />
          <UntilField until={search.until} onChange={(until) => change({ until })} />
        </FoldedFilters>
      </div>
      <HistoryExport key={JSON.stringify(search)} request={request} />
      <HistoryList request={request} withObject />
    </>
  );
}

type EnteredFieldProps = {
  type?: "text" | "search";
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
};

/** Text field that is applied by Enter or when it is left, because each change is a search of the server. */
function EnteredField({ type = "text", label, placeholder, value, onChange }: EnteredFieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const apply = (): void => {
    if (text.trim() !== value) onChange(text.trim());
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <input
        type={type}
        aria-label={label}
        title={`${label}. Enter applies it.`}
        placeholder={placeholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={apply}
      />
    </form>
  );
}

/** Field for the time from which the list goes back; empty for now. */
function UntilField({ until, onChange }: { until: string | undefined; onChange: (until: string) => void }) {
  const zone = usePreference("zone");
  const untilMs = parsePastInstant(until);
  return (
    <label className="wrapped">
      Up to
      <input
        type="datetime-local"
        title={`Jump to a time, ${formatZone(zone, untilMs ?? 0)}`}
        value={untilMs === undefined ? "" : toInputValue(untilMs, zone)}
        onChange={(event) => {
          const chosenMs = fromInputValue(event.target.value, zone);
          onChange(chosenMs === undefined ? "" : formatPastInstant(chosenMs));
        }}
      />
    </label>
  );
}

function ContactSelect({ contact, onChange }: { contact: string; onChange: (contact: string) => void }) {
  const { contacts = [] } = useContacts(contactsEveryMs);
  const names = [...new Set(contacts.map(({ name }) => name))];
  if (names.length === 0 && contact === "") return null;
  return <NameSelect label="Contact" none="All contacts" names={names} value={contact} onChange={onChange} />;
}

/** Interval in which the names of contacts are read, ms. */
const contactsEveryMs = 60_000;

function ShowSelect({ show = "", onChange }: { show: string | undefined; onChange: (show: string) => void }) {
  return (
    <select aria-label="Show" value={show} onChange={(event) => onChange(event.target.value)}>
      <option value="">Everything</option>
      <Options of={historyGroupFilters} />
      <optgroup label="Record type">
        <Options of={historyTypeFilters} />
      </optgroup>
    </select>
  );
}

function Options({ of }: { of: Readonly<Record<string, { readonly label: string }>> }) {
  return Object.entries(of).map(([value, { label }]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}
