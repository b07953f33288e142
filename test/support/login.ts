// `petstore login` in a process of its own, with a browser that signs in.

import { once } from 'node:events';
import { collect } from './children.ts';
import { type Finished, startCli } from './processes.ts';
import { Browser, submit } from './sign-in.ts';

/** Opens the sign-in page that a running `petstore login` prints. @returns the page of the form */
export async function openPrinted(browser: Browser, stderr: () => string): Promise<string> {
  for (let tries = 0; !/https?:\S+/.test(stderr()); tries += 1) {
    if (tries > 1_000) throw new Error(`no address: ${stderr()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const [address = ''] = /https?:\S+/.exec(stderr()) ?? [];
  const response = await browser.fetch(address);
  return new URL(response.headers.get('location') ?? '', address).href;
}

/** Follows redirects to the end. @returns the last page */
export async function follow(browser: Browser, response: Response, base: string): Promise<string> {
  let current = response;
  for (let hops = 0; hops < 6 && current.status >= 300 && current.status < 400; hops += 1)
    current = await browser.fetch(new URL(current.headers.get('location') ?? '', base).href);
  return current.text();
}

/** Signs in with `petstore login`. @param environment where the command keeps its sessions, among others */
export async function logIn(
  url: string,
  { email, password }: { readonly email: string; readonly password: string },
  environment: Readonly<Record<string, string>>,
): Promise<Finished & { readonly lastPage: string }> {
  const child = startCli('/nonexistent', ['login', '--url', url, '--no-browser', '--json'], environment);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const closed = once(child, 'close');
  const browser = new Browser();
  const page = await openPrinted(browser, stderr);
  const lastPage = await follow(browser, await submit(browser, page, email, password), page);
  const [code] = await closed;
  return { code, stdout: stdout(), stderr: stderr(), lastPage };
}
