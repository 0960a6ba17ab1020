import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { FoldedFilters } from "../../components/controls/folded-filters.tsx";
import { NameSelect } from "../../components/controls/name-select.tsx";
import { RangeChoice } from "../../components/controls/range-choice.tsx";
import { RealmSelect } from "../../components/controls/realm-select.tsx";
import { PageHead } from "../../components/page-title/page-head.tsx";
import { useContacts } from "../../features/contacts/use-contacts.ts";
import { HistoryList } from "../../features/history/history-list.tsx";
import {
  type HistorySearch,
  historyFilterOf,
  historyGroupFilters,
  historyRanges,
  historyTypeFilters,
  historyTypesOf,
} from "../../features/history/history-search.ts";

/** History of all objects and realms, newest first. */
export function HistoryPage() {
  const search = useSearch({ from: "/history" });
  const navigate = useNavigate({ from: "/history" });
  const change = (part: HistorySearch): void =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const filters = [search.show, search.realm, search.contact, search.actor, search.range];
  return (
    <>
      <PageHead title="History" />
      <div className="toolbar history-tools">
        <SelectorField key={search.q ?? ""} selector={search.q ?? ""} onChange={(q) => change({ q })} />
        <FoldedFilters
          set={filters.filter((value) => value !== undefined && value !== "").length}
          done="Show the history"
        >
          <select
            aria-label="Show"
            value={search.show ?? ""}
            onChange={(event) => change({ show: event.target.value })}
          >
            <option value="">Everything</option>
            <Options of={historyGroupFilters} />
            <optgroup label="Record type">
              <Options of={historyTypeFilters} />
            </optgroup>
          </select>
          <RealmSelect realm={search.realm ?? ""} onChange={(realm) => change({ realm })} none="All realms" />
          <ContactSelect contact={search.contact ?? ""} onChange={(contact) => change({ contact })} />
          <input
            type="text"
            aria-label="Actor"
            placeholder="Who did it"
            value={search.actor ?? ""}
            onChange={(event) => change({ actor: event.target.value })}
          />
          <RangeChoice
            label="Range of the history"
            choices={["all", ...Object.keys(historyRanges)]}
            value={search.range ?? "all"}
            onChange={(range) => change({ range: range === "all" ? "" : range })}
          />
        </FoldedFilters>
      </div>
      <HistoryList request={useHistoryRequest(search)} filter={historyFilterOf(search)} withObject />
    </>
  );
}

/** Conditions of the search that the server applies. */
function useHistoryRequest(search: HistorySearch) {
  const { now } = useAppContext();
  const { realm = "", q = "", range = "" } = search;
  // The beginning stays as it is while the page is open, so that the list is not loaded anew all the time.
  const since = useMemo(() => {
    const rangeMs = historyRanges[range];
    return rangeMs === undefined ? {} : { since: timestampFromMs(now.get() - rangeMs) };
  }, [now, range]);
  return { realm, selector: q, types: historyTypesOf(search), ...since };
}

/** Field for a selector of objects, applied by Enter or when the field is left. */
function SelectorField({ selector, onChange }: { selector: string; onChange: (selector: string) => void }) {
  const [text, setText] = useState(selector);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onChange(text);
      }}
    >
      <input
        type="search"
        aria-label="Selector of objects"
        placeholder="Selector: env=prod"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => onChange(text)}
      />
    </form>
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

function Options({ of }: { of: Readonly<Record<string, { readonly label: string }>> }) {
  return Object.entries(of).map(([value, { label }]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}
