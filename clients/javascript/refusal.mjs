/** What is wrong with a file or a value, in words that never hold the value. */
export class Refused extends Error {
  name = "Refused";
}

export function refuse(why) {
  throw new Refused(why);
}
