import type { FrameTime } from './frames.ts';
import { list } from './measured.ts';
import type { Measured } from './measured.ts';

/** Times that go with a frame. */
export const TIMES: Readonly<Record<FrameTime, readonly Measured[]>> = {
  habit: list(
    'on Sundays|most weekends|before breakfast|after the evening news|every other Saturday|during the winter months|on the first warm evening of spring|whenever the rain keeps everyone indoors|in late autumn|once the shops have closed|at the end of each month|while the kettle boils',
  ),
  past: list(
    'years back|one rainy spring|during a long summer|on a school trip|in the middle of a power cut|at the end of a very slow winter|shortly before moving house|at a street fair|after a village dance|while the roof was being mended',
  ),
  state: list(
    "to this day|since school days|even after two moves|all year round|in spite of its age|for no special reason|for as long as anyone can remember|since a clear-out of the attic|much to everyone's amusement|with a certain pride",
  ),
  plan: list(
    'later in the year|some time after the harvest|when the evenings grow longer|before the next family reunion|in the autumn|once the paint has dried|as soon as the shed is empty|on a free weekend|towards the end of the year',
  ),
};

/** Where it happens. */
export const PLACES: readonly Measured[] = list(
  'in the hallway|on the windowsill|by the back door|in the attic|behind the bookcase|near the old bakery|under the stairs|on the landing of the second staircase|beside the bicycle shed|in a corner of the cellar|next to the letterbox|on top of the wardrobe|at the far end of the garden path|between two flower pots|opposite the library|in the room with the sloping ceiling|above the coat hooks|close to the canal bridge',
);

/** How, and with whom. */
export const MANNERS: readonly Measured[] = list(
  'with great care|without much fuss|together with a neighbour|in good humour|with the radio on|under the eyes of two aunts|with a cup of cocoa at hand|in complete silence|with help from the postman|among friends|to the tune of an old waltz|with rolled-up sleeves and a broad smile|rather slowly|in the company of a sleepy dog|half in jest',
);

/** Why. */
export const PURPOSES: readonly Measured[] = list(
  'as a small joke|for sentimental reasons|because of its colour|to please a niece|for the sake of old times|out of sheer habit|as a present for a godchild|because it reminds everyone of the seaside|to win a friendly bet|for decoration only|so that the shelf looks less empty|as an excuse for a chat|because nobody else wanted it|to fill a quiet hour',
);

/** Phrases that hold a number, by how many digits they hold; `{n}` and the like are drawn. */
export const NUMBERS: Readonly<Record<1 | 2 | 3 | 4, readonly Measured[]>> = {
  1: list('for {1} euros|from drawer {1}|beside {1} others|in row {1}|on floor {1}|out of a set of {1}|from locker {1}|at table {1}'),
  2: list(
    'for {2} euros|at number {2}|beside {2} others|from box {2}|on page {2} of a scrapbook|out of a batch of {2}|with {2} tiny screws|near bus stop {2}|from shelf {2} of the depot',
  ),
  3: list(
    'from lot {3}|at stand {3}|on page {3}|with the number {3} on it|from lot {3} of an auction|next to house {3}|on page {3} of a thick album|with a ticket numbered {3}|near kilometre stone {3}',
  ),
  4: list(
    'dated {4}|from {4}|since {4}|bought in {4}|with the year {4} on it|from a sale in {4}|as in the summer of {4}|signed and dated {4}',
  ),
};

/** Phrases that hold a name; `{name}` and `{town}` are drawn. */
export const NAMES: readonly Measured[] = list(
  'near {town}|from {town}|after a trip to {town}|with a friend called {name}|from an aunt in {town}|thanks to {name}|with help from {name}|on a postcard from {town}|next to a picture of {town}|at the home of {name}|on the road to {town}|in memory of {name} from {town}',
);

/** Towns that no row is likely to name. */
export const TOWNS: readonly string[] =
  'Ghent|Trondheim|Bergamo|Galway|Olomouc|Vaasa|Coimbra|Lugano|Tartu|Ostrava|Perpignan|Aarhus|Delft|Graz|Ronda|Szeged|Malaga|Uppsala|Kotor|Bruges|Inverness|Ravenna|Zadar|Leuven|Plovdiv|Narvik|Siena|Sibiu|Bayeux|Kaunas'.split(
    '|',
  );
/** Names of people that no row is likely to name. */
export const NAMES_OF_PEOPLE: readonly string[] =
  'Marit|Henrike|Tomasz|Odile|Bartek|Ines|Matteo|Sanna|Ruben|Zofia|Anselm|Lieve|Goran|Mirela|Pavel|Noor|Ottilie|Emeka|Yuki|Farid|Agnes|Ilkka|Brigid|Dario|Leonor|Kasper|Milena|Rasmus|Tereza|Wilma'.split(
    '|',
  );
