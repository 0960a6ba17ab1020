import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { TransportProvider } from "@connectrpc/connect-query";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createContext, type ReactNode, use } from "react";
import { keptToken } from "../api/session-token.ts";
import { makeTransport } from "../api/transport.ts";
import { agentCommands, type Commands, forwardedCommands } from "../commands/commands.ts";
import type { PendingMark } from "../commands/pending-mark.ts";
import type { DialogRequest } from "../dialogs/dialog-request.ts";
import type { Notice } from "../parts/notice.ts";
import { browserClock, type Clock } from "../time/clock.ts";
import { keptPreferences, type Preferences } from "./preferences.ts";
import { usePast } from "./shown-past.tsx";
import { useStored, type ValueStore, valueStore } from "./value-store.ts";

/** Everything that rooms share, made once in `main.tsx` and handed down. */
export type Services = {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly query: Client<typeof QueryService>;
  readonly agent: Commands;
  readonly forwarded: Commands;
  readonly queryClient: QueryClient;
  readonly token: ValueStore<string>;
  readonly preferences: ValueStore<Preferences>;
  readonly pending: ValueStore<readonly PendingMark[]>;
  readonly dialog: ValueStore<DialogRequest | undefined>;
  readonly notices: ValueStore<readonly Notice[]>;
  /** The time that the page shows, Unix ms; moves once a second. */
  readonly now: ValueStore<number>;
};

export function makeServices(): Services {
  const clock = browserClock;
  const token = keptToken(sessionStorage);
  const transport = makeTransport(location.origin, token);
  const now = valueStore(clock.now());
  clock.every(1_000, () => {
    if (!document.hidden) now.set(clock.now());
  });
  return {
    clock,
    transport,
    token,
    now,
    query: createClient(QueryService, transport),
    agent: agentCommands(transport),
    forwarded: forwardedCommands(transport),
    queryClient: makeQueryClient(),
    preferences: keptPreferences(localStorage),
    pending: valueStore<readonly PendingMark[]>([]),
    dialog: valueStore<DialogRequest | undefined>(undefined),
    notices: valueStore<readonly Notice[]>([]),
  };
}

/** Polling is the retry: a failed call shows at once, and the next poll tries again. */
function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: { queries: { retry: false, networkMode: "always", refetchOnWindowFocus: "always" } },
  });
}

const ServicesContext = createContext<Services | undefined>(undefined);

export function ServicesProvider({ services, children }: { services: Services; children: ReactNode }) {
  return (
    <ServicesContext value={services}>
      <TransportProvider transport={services.transport}>
        <QueryClientProvider client={services.queryClient}>{children}</QueryClientProvider>
      </TransportProvider>
    </ServicesContext>
  );
}

export function useServices(): Services {
  const services = use(ServicesContext);
  if (services === undefined) throw new TypeError("useServices outside of ServicesProvider");
  return services;
}

/** The time that this part of the page shows, Unix ms; renders again each second, save where it is a time of the past. */
export function useNow(): number {
  const pastMs = usePast();
  return useStored(useServices().now, (ms) => pastMs ?? ms);
}

export const usePreference = <K extends keyof Preferences>(key: K): Preferences[K] =>
  useStored(useServices().preferences, (preferences) => preferences[key]);
