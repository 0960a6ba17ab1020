import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { TransportProvider } from "@connectrpc/connect-query";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createContext, type ReactNode, use } from "react";
import { type SeenChecks, seenChecks } from "../checks/seen-checks.ts";
import type { BulkClient } from "../commands/bulk-client.ts";
import type { BulkRun } from "../commands/bulk-run.ts";
import { agentCommandClient, type CommandClient, forwardedCommandClient } from "../commands/command-client.ts";
import type { PendingCommand } from "../commands/pending-command.ts";
import { withFailureOrigins } from "../server/failure-origin.ts";
import { createTransport } from "../server/transport.ts";
import { type BrowserClock, browserClock } from "./browser-clock.ts";
import type { DialogRequest } from "./dialog-request.ts";
import { notableSkewMs } from "./notable-skew.ts";
import type { Notice } from "./notice.ts";
import { usePastView } from "./past-view.ts";
import { type Preferences, storedPreferences } from "./preferences.ts";
import { tabText } from "./tab-text.ts";
import { useStoreValue, type ValueStore, valueStore } from "./value-store.ts";

/** Clients and state that all pages share; created once in `main.tsx`. */
export type AppContext = {
  readonly clock: BrowserClock;
  readonly transport: Transport;
  readonly query: Client<typeof QueryService>;
  readonly agentCommands: CommandClient;
  readonly forwardedCommands: CommandClient;
  readonly agentBulk: BulkClient;
  readonly forwardedBulk: BulkClient;
  readonly queryClient: QueryClient;
  /** Bearer token that was entered in this tab; empty without one. */
  readonly token: ValueStore<string>;
  /** Warnings about the server that were hidden in this tab, one a line. */
  readonly hiddenWarnings: ValueStore<string>;
  readonly preferences: ValueStore<Preferences>;
  readonly pending: ValueStore<readonly PendingCommand[]>;
  /** Bulk commands that wait for answers or for their effect, and those whose result was not closed yet. */
  readonly bulkRuns: ValueStore<readonly BulkRun[]>;
  readonly dialog: ValueStore<DialogRequest | undefined>;
  readonly notices: ValueStore<readonly Notice[]>;
  /** Current time of the page, Unix ms; updated once a second while the tab is visible. */
  readonly now: ValueStore<number>;
  /** Time at which the tab was displayed last, after it had been hidden, Unix ms; 0 before that. */
  readonly visibleSinceMs: ValueStore<number>;
  readonly checks: SeenChecks;
  /** True while the order of the displayed list is held although its rows have changed. */
  readonly listHeld: ValueStore<boolean>;
  /** Lead of this browser's clock over the server's, ms, rounded to 10 s; 0 up to 30 s, negative when it is behind. */
  readonly clockSkewMs: ValueStore<number>;
};

/** Creates the clients and the client-side state of the page. */
export function createAppContext(): AppContext {
  const clock = browserClock;
  const token = tabText(sessionStorage, "realmwatch.token");
  const clockSkewMs = valueStore(0);
  const onServerTime = (serverMs: number): void => clockSkewMs.set(notableSkewMs(clock.now() - serverMs));
  const checks = seenChecks();
  const options = { token, onServerTime, onRows: checks.add };
  const transport = withFailureOrigins(createTransport(location.origin, options), clock.now);
  const now = valueStore(clock.now());
  clock.every(1_000, () => {
    if (!document.hidden) now.set(clock.now());
  });
  const visibleSinceMs = valueStore(0);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) visibleSinceMs.set(clock.now());
  });
  return {
    clock,
    transport,
    token,
    now,
    hiddenWarnings: tabText(sessionStorage, "realmwatch.hidden-warnings"),
    clockSkewMs,
    visibleSinceMs,
    checks,
    listHeld: valueStore(false),
    query: createClient(QueryService, transport),
    agentCommands: agentCommandClient(transport),
    forwardedCommands: forwardedCommandClient(transport),
    agentBulk: async (request) => (await loadBulkClients()).agentBulkClient(transport)(request),
    forwardedBulk: async (request) => (await loadBulkClients()).forwardedBulkClient(transport)(request),
    queryClient: createQueryClient(),
    preferences: storedPreferences(localStorage),
    pending: valueStore<readonly PendingCommand[]>([]),
    bulkRuns: valueStore<readonly BulkRun[]>([]),
    dialog: valueStore<DialogRequest | undefined>(undefined),
    notices: valueStore<readonly Notice[]>([]),
  };
}

/** Loaded with the first command for many objects, which no page begins with. */
const loadBulkClients = () => import("../commands/bulk-client.ts");

/** Queries have no retry of their own: a failure is displayed at once, and the next poll is the retry. */
function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: { queries: { retry: false, networkMode: "always", refetchOnWindowFocus: "always" } },
  });
}

const ReactAppContext = createContext<AppContext | undefined>(undefined);

export function AppContextProvider({ services, children }: { services: AppContext; children: ReactNode }) {
  return (
    <ReactAppContext value={services}>
      <TransportProvider transport={services.transport}>
        <QueryClientProvider client={services.queryClient}>{children}</QueryClientProvider>
      </TransportProvider>
    </ReactAppContext>
  );
}

export function useAppContext(): AppContext {
  const services = use(ReactAppContext);
  if (services === undefined) throw new TypeError("useAppContext outside of AppContextProvider");
  return services;
}

/** Time that ages count from, Unix ms: the current time, updated each second, or the time of the past view. */
export function useNow(): number {
  const pastMs = usePastView();
  return useStoreValue(useAppContext().now, (ms) => pastMs ?? ms);
}

export const usePreference = <K extends keyof Preferences>(key: K): Preferences[K] =>
  useStoreValue(useAppContext().preferences, (preferences) => preferences[key]);
