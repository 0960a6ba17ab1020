import { plural } from "@realmwatch/shared/view/plural";
import { useEffect, useRef } from "react";
import { useAppContext } from "../api/context/app-context.tsx";
import { useOverview } from "../api/status/overview.ts";
import { countOf } from "../features/overview/count-matrix.ts";

/** Frequency, Hz, and length, s, of the sound. */
const [pitchHz, lengthS] = [660, 0.35] as const;

/** Opens a notification of the browser and plays a sound for new critical problems, if the preferences say so. */
export function useAlerts(): void {
  const { preferences } = useAppContext();
  const { data } = useOverview();
  const before = useRef<number | undefined>(undefined);
  const critical = data && countOf(data.unhandled, "critical").count;
  useEffect(() => {
    const known = before.current;
    before.current = critical;
    if (critical === undefined || known === undefined || critical <= known) return;
    const { browserNotifications, sound } = preferences.get();
    if (browserNotifications) notify(critical - known, critical);
    if (sound) void beep();
  }, [critical, preferences]);
}

function notify(added: number, total: number): void {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const text = `${added} new critical ${plural(added, "problem")}`;
  const shown = new Notification(text, { body: `${total} unhandled and critical`, tag: "realmwatch" });
  shown.onclick = () => {
    window.focus();
    shown.close();
  };
}

async function beep(): Promise<void> {
  const audio = new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.frequency.value = pitchHz;
  volume.gain.setValueAtTime(0.2, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + lengthS);
  tone.connect(volume).connect(audio.destination);
  tone.onended = () => void audio.close();
  tone.start();
  tone.stop(audio.currentTime + lengthS);
}
