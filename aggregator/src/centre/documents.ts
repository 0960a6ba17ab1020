import { type AuthPlan, authDocument, compileAuthDocument } from "@realmwatch/shared/identity/auth-document";
import { type Loader, openLoader } from "@realmwatch/shared/load/load-document";
import type { Clock } from "@realmwatch/shared/model/clock";
import { formatDiagnostic } from "@realmwatch/shared/model/diagnostic";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { Secret } from "@realmwatch/shared/platform/flags/secret";
import { readRealmTokens } from "../forward/realm-token.ts";
import { compileRealmsDocument, type RealmsPlan, realmsDocument } from "../realms/realms-document.ts";

/** Maximum size of a document, bytes. */
const maxBytes = 1_048_576;

/** Realms and the tokens for their APIs. */
export type RealmDocuments = {
  readonly plan: RealmsPlan;
  readonly tokens: ReadonlyMap<string, Secret>;
  /** Time that it took to read, evaluate and check the realms document, ms. */
  readonly evaluationMs: number;
};
export type AggregatorDocuments = RealmDocuments & { readonly auth: AuthPlan | undefined };

type Environment = Readonly<Record<string, string | undefined>>;
type Paths = { readonly realmsConfig: string; readonly authConfig: string | undefined };

/** Loads the realms document, the tokens and the auth document. @returns one line for each problem */
export async function loadDocuments(
  { realmsConfig, authConfig }: Paths,
  { clock, environment }: { readonly clock: Clock; readonly environment: Environment },
): Promise<Result<AggregatorDocuments, readonly string[]>> {
  const loader = openLoader(clock);
  try {
    const realms = await loadRealms({ loader, clock, environment }, realmsConfig);
    const auth = await loadAuth(loader, authConfig);
    if (realms.ok && auth.ok) return ok({ ...realms.value, auth: auth.value });
    return fail([...(realms.ok ? [] : realms.error), ...(auth.ok ? [] : auth.error)]);
  } finally {
    await loader.close();
  }
}

async function loadRealms(
  { loader, clock, environment }: { loader: Loader; clock: Pick<Clock, "monotonic">; environment: Environment },
  path: string,
): Promise<Result<RealmDocuments, readonly string[]>> {
  const startedMs = clock.monotonic();
  const loaded = await loader.document({
    source: { kind: "path", path, maxBytes },
    compile: compileRealmsDocument,
    schema: realmsDocument.schema,
  });
  if (!loaded.ok) return fail(loaded.error.map(formatDiagnostic));
  const evaluationMs = clock.monotonic() - startedMs;
  const tokens = readRealmTokens(loaded.value.value, environment);
  return tokens.ok
    ? ok({ plan: loaded.value.value, tokens: tokens.value, evaluationMs })
    : fail(tokens.error.map((line) => `${path}: ${line}`));
}

async function loadAuth(
  loader: Loader,
  path: string | undefined,
): Promise<Result<AuthPlan | undefined, readonly string[]>> {
  if (path === undefined) return ok(undefined);
  const loaded = await loader.document({
    source: { kind: "path", path, maxBytes },
    compile: compileAuthDocument,
    schema: authDocument.schema,
  });
  return loaded.ok ? ok(loaded.value.value) : fail(loaded.error.map(formatDiagnostic));
}
