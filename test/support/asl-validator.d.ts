declare module 'asl-validator' {
  /** @returns whether the definition is valid, and what is wrong with it */
  export default function validate(definition: object): { readonly isValid: boolean; readonly errors: readonly unknown[] };
}
