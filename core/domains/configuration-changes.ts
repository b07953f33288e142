// The differences between two configurations of a project, as sentences, for a user whose change conflicts with another one.

interface Redirect {
  readonly from: string;
  readonly to: string;
  readonly status?: number | undefined;
}

/** A configuration, as the API shows it. */
export interface ShownConfiguration {
  readonly domains: { readonly primary?: string | undefined; readonly redirects: readonly Redirect[] };
  readonly logs?: { readonly access?: boolean | undefined } | undefined;
}

/** Returns a sentence for each change, without a period; an empty list if the two are the same. The order of redirects does not matter. */
export function changesBetween(before: ShownConfiguration, after: ShownConfiguration): readonly string[] {
  const [old, now] = [before.domains, after.domains];
  const logs = [before, after].map((each) => each.logs?.access === true);
  return [
    ...(old.primary === now.primary ? [] : [`the primary domain is ${now.primary ?? 'not set'}, and was ${old.primary ?? 'not set'}`]),
    ...now.redirects.filter((each) => !old.redirects.some(({ from }) => from === each.from)).map((each) => `${textOf(each)} was added`),
    ...now.redirects.flatMap((each) => {
      const earlier = old.redirects.find(({ from }) => from === each.from);
      return earlier === undefined || textOf(earlier) === textOf(each) ? [] : [`${textOf(earlier)} is ${textOf(each, '')} now`];
    }),
    ...old.redirects.filter((each) => !now.redirects.some(({ from }) => from === each.from)).map((each) => `${textOf(each)} was removed`),
    ...(logs[0] === logs[1] ? [] : [`visits are ${logs[1] ? 'logged now' : 'not logged any more'}`]),
  ];
}

function textOf({ from, to, status = 301 }: Redirect, start = `the redirect from ${from} `): string {
  return `${start}to ${to} (${status})`;
}
