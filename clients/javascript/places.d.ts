import type { Words } from "./client.js";

export interface PlaceOptions {
  /** Within `radius` the odds between two true places change by at most e^eps: "ln 4", "1", "1/2". */
  eps: string | number;
  /** "200 m", "1.5 km", or a number of metres. */
  radius: string | number;
  /** Latitude and longitude of a public place near all of them; never computed from those to protect. */
  centre: [latitude: number, longitude: number];
  /** The cells that true places are moved to first; the step when omitted. */
  cell?: string | number;
  /** The lattice of the noise; a thousandth of the radius when omitted. A cell is a whole number of steps. */
  step?: string | number;
}

export type Place = [latitude: number, longitude: number];

/** Noise for places, as Python's place_mechanism has it with a region of this centre. */
export interface PlaceMechanism {
  /** Stands for all the options. */
  readonly sha256: string;
  /** A fresh noisy place, in degrees. `words` is for tests; the device's own randomness when omitted. */
  randomise(place: Place, words?: Words): Place;
  /** The same noisy place for the same key, context and cell, every time. */
  permanent(place: Place, key: CryptoKey, context: string): Promise<Place>;
}

export function places(options: PlaceOptions): Promise<PlaceMechanism>;
