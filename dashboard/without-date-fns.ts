// Replaces date-fns, which the design system uses for time axes and date pickers only. The dashboard has neither, so the package is left out of
// the install (`overrides` in the root package.json).

function missing(): never {
  throw new Error('date-fns is not installed: remove its override in package.json to use date pickers or charts with a time axis');
}

export { missing as add, missing as addMinutes, missing as differenceInDays, missing as format, missing as isValid, missing as parseISO };
