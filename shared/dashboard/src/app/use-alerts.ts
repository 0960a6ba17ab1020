import { plural } from "@realmwatch/shared/view/plural";
import { useAppContext } from "../api/context/app-context.tsx";
import { useNewCritical } from "./use-new-critical.ts";

/** Frequency, Hz, and length, s, of the sound. */
const [pitchHz, lengthS] = [660, 0.35] as const;

/** Opens a notification of the browser and plays a sound for new critical problems, if the preferences say so. */
export function useAlerts(): void {
  const { preferences } = useAppContext();
  useNewCritical((total, added) => {
    const { browserNotifications, sound } = preferences.get();
    if (browserNotifications) notify(added, total);
    if (sound) void beep();
  });
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
