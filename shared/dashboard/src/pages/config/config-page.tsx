import { useQuery } from "@tanstack/react-query";
import { useAdminClient } from "../../api/server/admin-client.ts";
import { useServerInfo } from "../../api/server/server-info.ts";
import { useOverview } from "../../api/status/overview.ts";
import { RealmSelect } from "../../components/controls/realm-select.tsx";
import { useSearchParam } from "../../components/controls/use-search-param.ts";
import { AdminOnly } from "../../components/feedback/admin-only.tsx";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { PageHead } from "../../components/page-title/page-head.tsx";
import { explainConfigFailure } from "../../features/configuration/config-problem.ts";
import { ConfigWorkbench } from "../../features/configuration/config-workbench.tsx";

/** Editor of a realm's configuration, for administrators. */
export function ConfigPage() {
  const { info } = useServerInfo();
  const { data } = useOverview();
  const [chosen, choose] = useSearchParam("realm");
  const realm = info?.aggregator === true ? (chosen ?? data?.realms[0]?.name) : "";
  return (
    <>
      <PageHead title="Configuration">
        {realm !== undefined && <RealmSelect realm={realm} onChange={choose} />}
      </PageHead>
      <AdminOnly>
        {realm === undefined ? <EmptyState title="Loading…" /> : <RealmConfig key={realm} realm={realm} />}
      </AdminOnly>
    </>
  );
}

function RealmConfig({ realm }: { realm: string }) {
  const client = useAdminClient();
  const { data, error, refetch } = useQuery({
    queryKey: ["configuration", realm],
    queryFn: ({ signal }) => client.document(realm, signal),
    // The text belongs to the document that it was made from; a newer one is looked for before it is applied.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  if (data === undefined && error !== null) {
    const why = explainConfigFailure(error, realm);
    return (
      <>
        <FailureText error={error} what="The configuration is not available." />
        {why !== undefined && <p className="config-why">{why}</p>}
      </>
    );
  }
  if (data === undefined) return <EmptyState title="Loading the configuration…" />;
  return (
    <ConfigWorkbench
      client={client}
      realm={realm}
      document={data.cue}
      changedOnDisk={data.changedOnDisk ?? false}
      reload={async () => (await refetch()).data?.cue}
    />
  );
}
