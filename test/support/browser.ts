/** A real Chromium without a window, from the npm package that ships it. */
import chromium from "@sparticuz/chromium";
import { type Browser, launch } from "puppeteer-core";

/** Opens a browser without WebGL. It must be closed. */
export async function openBrowser(): Promise<Browser> {
  chromium.setGraphicsMode = false;
  return launch({
    executablePath: await chromium.executablePath(),
    args: [...chromium.args, "--no-sandbox"],
    headless: "shell",
  });
}
