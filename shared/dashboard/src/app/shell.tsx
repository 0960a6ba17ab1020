import { Outlet, useLocation, useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { useSettledCommands } from "../api/commands/use-settled-commands.ts";
import { useAppContext } from "../api/context/app-context.tsx";
import { useStoreValue } from "../api/context/value-store.ts";
import { useServerInfo } from "../api/server/server-info.ts";
import { useOverviewFeed } from "../api/status/overview.ts";
import { Notices } from "../components/feedback/notices.tsx";
import { useShortcuts } from "../components/keyboard/use-shortcuts.ts";
import { later } from "../components/layout/later.tsx";
import { useNarrow } from "../components/layout/use-narrow.ts";
import { useWall } from "../components/layout/use-wall.ts";
import { BannerStrip } from "./banners/banner-strip.tsx";
import { BottomBar } from "./bottom-bar.tsx";
import { LivePill } from "./live-pill.tsx";
import { navLinksOf } from "./nav-links.ts";
import { Brand, Rail } from "./rail.tsx";
import { useAlerts } from "./use-alerts.ts";
import { useHeadingFocus } from "./use-heading-focus.ts";
import { useNavAccess } from "./use-nav-access.ts";
import "./shell.css";

/** Frame around every page. It polls the feeds, so that counts and ages are up to date on all pages. */
export function Shell() {
  const { info, locked } = useServerInfo(true);
  const { pathname } = useLocation();
  if (pathname === loginPath) return <Outlet />;
  if (locked && info === undefined) return <LeadToLogin />;
  return <Frame sessionEnded={locked} />;
}

const loginPath = "/login";

/** Replaces the address by that of the login page, which returns to it. */
function LeadToLogin() {
  const { history } = useRouter();
  const { href } = useLocation();
  useEffect(() => history.replace(`${loginPath}?next=${encodeURIComponent(href)}`), [history, href]);
  return null;
}

function Frame({ sessionEnded }: { sessionEnded: boolean }) {
  useOverviewFeed();
  useSettledCommands();
  const wall = useWall();
  usePageKeys(!wall);
  useHeadingFocus();
  useAlerts();
  const narrow = useNarrow();
  if (wall) return <WallFrame />;
  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      {narrow ? <PhoneHead /> : <Rail />}
      <div className="stage">
        {!narrow && <BannerStrip />}
        <main id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      {narrow && <BottomBar />}
      <Dialogs />
      {sessionEnded && <SessionEndedDialog />}
      <div className="notices">
        <BulkResults />
        <Notices />
      </div>
    </div>
  );
}

/** Head of narrow screens, whose navigation is at the lower edge. Banners are in its line. */
function PhoneHead() {
  return (
    <header className="phone-head">
      <Brand />
      <BannerStrip />
      <LivePill />
    </header>
  );
}

const loadDialogs = () => import("../features/dialogs/dialog-host.tsx");
const loadPalette = () => import("../features/palette/palette-dialog.tsx");
const DialogHost = later(async () => (await loadDialogs()).DialogHost);
const PaletteDialog = later(async () => (await loadPalette()).PaletteDialog);

const WallFrame = later(async () => (await import("./wall/wall-frame.tsx")).WallFrame);

const SessionEndedDialog = later(
  async () => (await import("../features/sign-in/session-ended-dialog.tsx")).SessionEndedDialog,
);

const loadBulkCards = () => import("../components/feedback/bulk-cards.tsx");
const BulkCards = later(async () => (await loadBulkCards()).BulkCards);

/** Progress and results of commands for many objects, once there was one. */
function BulkResults() {
  const { bulkRuns } = useAppContext();
  const isNeeded = useStoreValue(bulkRuns, (runs) => runs.length > 0);
  return isNeeded && <BulkCards />;
}

/** Events by which an operator begins to use a page. */
const firstUses = ["keydown", "pointermove", "pointerdown"] as const;

/** The requested dialog. The code of dialogs is loaded when the page is first used, so that most of them open at once. */
function Dialogs() {
  const { dialog } = useAppContext();
  const pages = navLinksOf(useNavAccess());
  useEffect(() => {
    const used = new AbortController();
    const load = (): void => {
      used.abort();
      // A failure is ignored here: a requested dialog loads its code again.
      Promise.all([loadDialogs(), loadPalette(), loadBulkCards()]).catch(() => undefined);
    };
    for (const name of firstUses) document.addEventListener(name, load, { signal: used.signal });
    return () => used.abort();
  }, []);
  return useStoreValue(dialog) !== undefined && <DialogHost pages={pages} palette={<PaletteDialog pages={pages} />} />;
}

/** Keys of the pages, the palette and the help; without effect on a wall, which has no dialogs. */
function usePageKeys(enabled: boolean): void {
  const navigate = useNavigate();
  const { dialog } = useAppContext();
  const pages = navLinksOf(useNavAccess()).flatMap(({ to, keys }) =>
    keys === undefined ? [] : [[keys, () => void navigate({ to })] as const],
  );
  const keys = {
    "?": () => dialog.set({ kind: "help" }),
    "Ctrl+k": () => dialog.set({ kind: "palette" }),
    "/": () => document.querySelector<HTMLInputElement>("input[type=search]")?.focus(),
    ...Object.fromEntries(pages),
  };
  useShortcuts(enabled ? keys : {});
}
