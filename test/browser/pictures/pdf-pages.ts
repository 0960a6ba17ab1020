import { PDFiumLibrary } from "@hyzyla/pdfium";
import { PNG } from "pngjs";

/** Page of a document as it is printed. */
type PdfPage = { readonly text: string; readonly picture: PNG };

/** Points of a PDF to the pixel of a picture. */
const scale = 96 / 72;

/** Renders the pages of a PDF document. */
export async function pdfPages(document: Uint8Array): Promise<PdfPage[]> {
  const library = await PDFiumLibrary.init();
  try {
    const pdf = await library.loadDocument(document);
    const pages: PdfPage[] = [];
    for (const page of pdf.pages()) {
      // Rendering closes the page, so its text is read before.
      const text = page.getText().replaceAll(/\s+/g, " ");
      const { width, height, data } = await page.render({ scale, render: "bitmap" });
      const picture = new PNG({ width, height });
      picture.data = Buffer.from(data);
      pages.push({ text, picture });
    }
    pdf.destroy();
    return pages;
  } finally {
    library.destroy();
  }
}
