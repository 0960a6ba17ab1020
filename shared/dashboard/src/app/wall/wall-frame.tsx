import { counted } from "@realmwatch/shared/view/plural";
import { Outlet, useLocation, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useNow, usePreference } from "../../api/context/app-context.tsx";
import { useOverview } from "../../api/status/overview.ts";
import { useProblemCount } from "../../api/status/problem-count.ts";
import { formatClockTime } from "../../components/time/format-date-time.ts";
import { formatTimeSpan } from "../../components/time/format-time-span.ts";
import { BannerLine } from "../banners/banner-strip.tsx";
import { useBanners } from "../banners/use-banners.tsx";
import { useNewCritical } from "../use-new-critical.ts";
import { useReloadOnNewBuild } from "./new-build.ts";
import { PageTurns } from "./page-turns.tsx";
import { useIdlePointer } from "./use-idle-pointer.ts";
import { useWallRotation } from "./use-wall-rotation.ts";
import "./wall.css";

/** Time that the frame stays red after a new critical problem, ms. */
const alarmMs = 15_000;
/** Age of the displayed data from which it is marked, ms. */
const oldDataMs = 15_000;

/** Frame of the wall mode: large text without navigation, the time, and the age of the data. Escape leaves it. */
export function WallFrame() {
  const { data } = useOverview();
  const { current, stale } = useProblemCount();
  const nowMs = useNow();
  const zone = usePreference("zone");
  const ageMs = data === undefined ? undefined : Math.max(0, nowMs - data.atMs);
  const [grownAtMs, setGrownAtMs] = useState(0);
  useNewCritical(() => setGrownAtMs(nowMs));
  const alarmed = nowMs - grownAtMs < alarmMs;
  const pointerIdle = useIdlePointer();
  useRootClass("is-wall");
  useDarkByDefault();
  useLeaveKey();
  useWallRotation();
  useReloadOnNewBuild();
  const href = useLocation({ select: (location) => location.href });
  return (
    <div className={`wall ${alarmed ? "is-alarmed" : ""} ${pointerIdle ? "is-pointer-idle" : ""}`}>
      <header className="wall-strip">
        <strong className="wall-count">
          {counted(current, "problem")}
          {stale > 0 && ` + ${stale} last known`}
        </strong>
        <WallBanners />
        <span className={ageMs === undefined || ageMs > oldDataMs ? "wall-age is-old" : "wall-age"}>
          {ageMs === undefined ? "no data yet" : `data ${formatTimeSpan(ageMs)} old`}
        </span>
        {/* A page that has been opened just now begins with its first screenful. */}
        <PageTurns key={href} />
        <time className="wall-clock">{formatClockTime(nowMs, zone)}</time>
      </header>
      <main id="main">
        <Outlet />
      </main>
    </div>
  );
}

/** Sets a class of the document while the component is mounted. */
function useRootClass(name: string): void {
  useEffect(() => {
    document.documentElement.classList.add(name);
    return () => document.documentElement.classList.remove(name);
  }, [name]);
}

/** Makes the page dark unless this browser prefers a theme: a bright wall dazzles in a dim room. */
function useDarkByDefault(): void {
  const theme = usePreference("theme");
  useEffect(() => {
    if (theme !== "auto") return;
    const { dataset } = document.documentElement;
    dataset["theme"] = "dark";
    return () => void delete dataset["theme"];
  }, [theme]);
}

/** Returns to the same page with its controls on Escape. */
function useLeaveKey(): void {
  const { history } = useRouter();
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key !== "Escape") return;
      const page = new URL(location.href);
      page.searchParams.delete("wall");
      page.searchParams.delete("rotate");
      history.push(`${page.pathname}${page.search}`);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [history]);
}

/** Time for which one of several banners is shown, ms. */
const turnMs = 6_000;

/** Strip of the wall mode. It shows one banner after the other, because a wall screen has no control that opens a list. */
function WallBanners() {
  const nowMs = useNow();
  const banners = useBanners();
  const shown = banners[Math.floor(nowMs / turnMs) % banners.length];
  return (
    <div className="wall-banners">
      {shown !== undefined && <BannerLine key={shown.id} banner={{ ...shown, action: undefined }} />}
    </div>
  );
}
