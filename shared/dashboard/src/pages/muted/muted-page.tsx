import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { MutedContacts } from "../../features/contacts/muted-contacts.tsx";
import { ObjectListView } from "../../features/object-list/object-list-view.tsx";
import { useObjectRows } from "../../features/object-list/use-object-rows.ts";

const columns = ["state", "object", "mutedBy", "mutedSince", "output", "realm"] as const;

/** Objects that are acknowledged, in downtime, or have a switch turned off, and muted contacts, so that forgotten ones are found. */
export function MutedPage() {
  const rows = useObjectRows("muted");
  return (
    <ObjectListView
      title="Muted"
      count={rows.list && `${rows.list.total} muted`}
      rows={rows}
      columns={columns}
      above={rows.pastMs === undefined && <MutedContacts />}
      empty={
        <EmptyState title="No object is muted">
          <p>Acknowledged problems, objects in downtime and objects with a switch turned off are listed here.</p>
        </EmptyState>
      }
    />
  );
}
