import { Outlet, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useServerInfo } from "../api/server-info.ts";
import { useStatusFeed } from "../api/status-feed.ts";
import { forgottenAfterMs } from "../commands/pending-mark.ts";
import { DialogHost } from "../dialogs/dialog-host.tsx";
import { useShortcuts } from "../keyboard/use-shortcuts.ts";
import { Notices } from "../parts/notices.tsx";
import { useNow, useServices } from "../services/services.tsx";
import { Banners } from "./banners.tsx";
import { Rail } from "./rail.tsx";
import { SignIn } from "./sign-in.tsx";
import "./shell.css";

/** What stands around every page; it follows the fleet, so that counts and age are right wherever one is. */
export function Shell() {
  const { locked } = useServerInfo(true);
  if (locked) return <SignIn />;
  return <Frame />;
}

function Frame() {
  useStatusFeed("problems");
  useStatusFeed("overview");
  useForgottenMarks();
  usePageKeys();
  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <Rail />
      <div className="stage">
        <Banners />
        <main id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <DialogHost />
      <Notices />
    </div>
  );
}

function usePageKeys(): void {
  const navigate = useNavigate();
  const { dialog } = useServices();
  useShortcuts({
    "?": () => dialog.set({ kind: "help" }),
    "/": () => document.querySelector<HTMLInputElement>("input[type=search]")?.focus(),
    "g p": () => void navigate({ to: "/" }),
    "g o": () => void navigate({ to: "/objects" }),
    "g r": () => void navigate({ to: "/realms" }),
    "g h": () => void navigate({ to: "/history" }),
  });
}

/** Stops waiting for effects that never showed, so that polling slows down again. */
function useForgottenMarks(): void {
  const { pending } = useServices();
  const nowMs = useNow();
  useEffect(() => {
    pending.set((marks) =>
      marks.some((mark) => nowMs - mark.sentAtMs > forgottenAfterMs)
        ? marks.filter((mark) => nowMs - mark.sentAtMs <= forgottenAfterMs)
        : marks,
    );
  }, [pending, nowMs]);
}
