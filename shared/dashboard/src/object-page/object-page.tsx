import { useSnapshot } from "../api/status-feed.ts";
import { HistoryList } from "../history/history-list.tsx";
import { type ObjectKey, toRef } from "../objects/object-key.ts";
import { plainName } from "../objects/object-link.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { FailureText } from "../parts/failure-text.tsx";
import { usePageTitle } from "../title/page-title.ts";
import { About } from "./about.tsx";
import { CheckFacts } from "./check-facts.tsx";
import { CommentList } from "./comment-list.tsx";
import { DowntimeList } from "./downtime-list.tsx";
import { HostServices } from "./host-services.tsx";
import { ObjectHead } from "./object-head.tsx";
import { Output } from "./output.tsx";
import { PerfTable } from "./perf-table.tsx";
import { useObject } from "./use-object.ts";
import { useObjectKeys } from "./use-object-keys.ts";
import { WhyQuiet } from "./why-quiet.tsx";
import "./object-page.css";

/** Everything known of one object, and what can be done about it. */
export function ObjectPage({ realm, object }: { realm: string; object: ObjectKey }) {
  usePageTitle(plainName(object));
  const { item, loaded, error } = useObject(realm, object);
  const { data } = useSnapshot("overview");
  const stale = data?.realms.some(({ name, reachable }) => name === realm && reachable === false) ?? false;
  useObjectKeys(item);
  if (item === undefined)
    return (
      <>
        <h1>{plainName(object)}</h1>
        {loaded && (
          <EmptyState title="There is no such object" tone="bad">
            <p>
              No {object.kind} of that name is configured{realm !== "" && ` in realm ${realm}`}. It may have been
              renamed or removed.
            </p>
          </EmptyState>
        )}
        {!loaded &&
          (error === null ? (
            <EmptyState title="Asking the server…" />
          ) : (
            <FailureText error={error} what="The server did not answer." />
          ))}
      </>
    );
  return (
    <article className={stale ? "is-stale" : ""}>
      <ObjectHead item={item} />
      <div className="object-grid">
        <div>
          <Output item={item} />
          <PerfTable points={item.row.perfdata} />
          {object.kind === "host" && <HostServices realm={realm} host={object.name} />}
          <section className="panel">
            <h2>History</h2>
            <HistoryList request={{ realm, object: toRef(object) }} withObject={false} />
          </section>
        </div>
        <div>
          <WhyQuiet item={item} />
          <DowntimeList item={item} />
          <CommentList item={item} />
          <CheckFacts item={item} />
          <About realm={realm} object={object} />
        </div>
      </div>
    </article>
  );
}
