import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import pixelmatch from "pixelmatch";
import type { Page } from "playwright-core";
import { PNG } from "pngjs";

const references = join(import.meta.dirname, "references");

/**
 * Largest part of the pixels that may differ from the reference. Pictures are compared at half of their size, so that
 * versions of Chromium, which smooth edges differently, agree; a moved column or a lost colour differs by far more.
 */
const tolerated = 0.02;
/** Difference of a pixel's colour from which it counts, 0 to 1. */
const colourThreshold = 0.2;

/** Time in which a page that is still loading comes to look as its reference, ms. */
const comparedForMs = 60_000;

/** Compares the page, in this state and size, with its reference. With UPDATE_PICTURES=1 it writes the reference. */
export async function comparePicture(page: Page, name: string): Promise<void> {
  if (isUpdate()) return writeReference(name, halfOf(await settledPicture(page)));
  const reference = readReference(name);
  const capture = await pictureSource(page);
  let seen: ReturnType<typeof differenceOf> | undefined;
  const looksAlike = async (): Promise<boolean> => {
    seen = differenceOf(reference, halfOf(await capture()));
    return seen.changed <= tolerated;
  };
  await until(`the page looks as ${name}`, looksAlike, { withinMs: comparedForMs, everyMs: 200 }).catch(() => {
    if (seen === undefined) assert.fail(`${name}: no picture was taken within ${comparedForMs} ms`);
    failDifferent(name, seen);
  });
}

/** Compares a page on paper with its reference, or writes the reference. */
export function comparePrinted(picture: PNG, name: string): void {
  const half = halved(picture);
  if (isUpdate()) return writeReference(name, half);
  const seen = differenceOf(readReference(name), half);
  if (seen.changed > tolerated) failDifferent(name, seen);
}

const isUpdate = (): boolean => process.env["UPDATE_PICTURES"] === "1";
const fileOf = (name: string): string => join(references, `${name}.png`);

function writeReference(name: string, picture: PNG): void {
  mkdirSync(references, { recursive: true });
  writeFileSync(fileOf(name), PNG.sync.write(picture, { colorType: 2, deflateLevel: 9 }));
}

function readReference(name: string): PNG {
  assert.ok(existsSync(fileOf(name)), `${name} has no reference. ${howToUpdate}`);
  return PNG.sync.read(readFileSync(fileOf(name)));
}

function failDifferent(name: string, { picture, difference, changed }: ReturnType<typeof differenceOf>): never {
  const where = saved(name, { picture, difference });
  assert.fail(`${name} differs in ${(changed * 100).toFixed(1)} % of its pixels: see ${where}. ${howToUpdate}`);
}

const halfOf = (picture: string): PNG => halved(PNG.sync.read(Buffer.from(picture, "base64")));

/** Part of the pixels that differ, 0 to 1, and a picture of them. Pictures of another size differ as a whole. */
function differenceOf(reference: PNG, picture: PNG): { picture: PNG; difference: PNG; changed: number } {
  const { width, height } = reference;
  const difference = new PNG({ width, height });
  if (picture.width !== width || picture.height !== height) return { picture, difference, changed: 1 };
  const options = { threshold: colourThreshold };
  const changed = pixelmatch(reference.data, picture.data, difference.data, width, height, options);
  return { picture, difference, changed: changed / (width * height) };
}

const howToUpdate = "If it should look like this: UPDATE_PICTURES=1 npm test -- test/browser/pictures";

/** Takes pictures of the page, PNG in base64, once its fonts are loaded. */
async function pictureSource(page: Page): Promise<() => Promise<string>> {
  await page.evaluate("document.fonts.ready.then(() => undefined)");
  const debuggerSession = await page.context().newCDPSession(page);
  return async () => (await debuggerSession.send("Page.captureScreenshot")).data;
}

/** Picture of the page once two in a row are the same: fonts, data and layout have arrived. */
async function settledPicture(page: Page): Promise<string> {
  const capture = await pictureSource(page);
  let before = await capture();
  return until(`the page ${page.url()} comes to rest`, async () => {
    const now = await capture();
    const isSame = now === before;
    before = now;
    return isSame && now;
  });
}

/** Width of a step, of which 31 lead from 0 to 255. */
const colourStep = 255 / 31;

/** Half of the size: each pixel is the mean of four, in 32 steps of each colour, which keeps the files small. */
function halved({ width, height, data }: PNG): PNG {
  const half = new PNG({ width: width >> 1, height: height >> 1 });
  // Distances of the pixels to the right, below and below to the right, in bytes.
  const [right, below] = [4, 4 * width];
  for (let y = 0; y < half.height; y++)
    for (let x = 0; x < half.width; x++)
      for (let channel = 0; channel < 4; channel++) {
        const at = 2 * (y * below + x * right) + channel;
        const sum = byte(data, at) + byte(data, at + right) + byte(data, at + below) + byte(data, at + below + right);
        half.data[(y * half.width + x) * 4 + channel] = Math.round(sum / 4 / colourStep) * colourStep;
      }
  return half;
}

const byte = (data: Uint8Array, at: number): number => data[at] ?? 0;

function saved(name: string, pictures: Readonly<Record<string, PNG>>): string {
  const folder = join(tmpdir(), "realmwatch-pictures");
  mkdirSync(folder, { recursive: true });
  for (const [part, picture] of Object.entries(pictures))
    writeFileSync(join(folder, `${name}-${part}.png`), PNG.sync.write(picture));
  return join(folder, `${name}-difference.png`);
}
