import { list } from './measured.ts';
import type { Measured } from './measured.ts';

/** Nouns of one area of life; `match` finds the area on a scene card. */
export interface AreaNouns {
  readonly match: RegExp;
  readonly nouns: readonly Measured[];
}

/** Things of everyday areas, without article; every one is of no use to any answer. */
const EVERYDAY: readonly AreaNouns[] = [
  {
    match: /kitchen|cooking/,
    nouns: list(
      'enamel soup ladle|butter dish|cast-iron waffle iron|recipe card for plum cake|spice rack|tea towel with lighthouses|egg timer|copper jelly mould|bread tin|apron with a torn pocket|biscuit cutter|gravy boat',
    ),
  },
  {
    match: /garden|balcony|plants/,
    nouns: list(
      'fig tree in a bucket|watering can|tomato stake|bird table|row of tulip bulbs|garden gnome|compost fork|window box of pansies|rain barrel|rubber plant|wicker trellis|cactus on the sill',
    ),
  },
  {
    match: /way to work|transport/,
    nouns: list(
      'tram timetable|bicycle bell|folding umbrella|bus shelter mural|ferry ticket|railway map|cycle basket|platform bench|commuter thermos|seat by the tram door|bus stop poster|ticket stub',
    ),
  },
  {
    match: /home, rooms|furniture/,
    nouns: list(
      'writing bureau|hallway mirror|three-legged stool|floor lamp|linen chest|doorstop shaped like a hedgehog|rug with a fringe|coat stand|bookcase with a glass door|rocking chair|curtain rail|wall clock',
    ),
  },
  {
    match: /clothes|laundry/,
    nouns: list(
      'rain hat|cardigan with horn buttons|laundry basket|pair of walking boots|silk scarf|clothes horse|sock drawer|tweed jacket|peg bag|woollen mitten|belt with a brass buckle|sewing tin',
    ),
  },
  {
    match: /music|choir|instrument/,
    nouns: list(
      'ukulele|song folder|metronome|mandolin case|accordion strap|hymn book|tuning fork|drum pad|record sleeve|tin whistle|music stand|choir robe',
    ),
  },
  {
    match: /team sport|board games/,
    nouns: list(
      'chess clock|badminton racket|set of dominoes|bowling shirt|backgammon board|dice cup|relay baton|scorebook|croquet mallet|table tennis bat|draughts set|team scarf',
    ),
  },
  {
    match: /language class|evening course/,
    nouns: list(
      'phrase book|vocabulary box|pottery bowl from the course|class register|workbook with a red cover|calligraphy pen|grammar poster|course certificate|pocket dictionary|watercolour block|exercise folder|classroom key',
    ),
  },
  {
    match: /photographs|family history/,
    nouns: list(
      'photograph album|sepia portrait|family tree chart|slide projector|box of negatives|christening gown|wartime postcard|silver locket|ship passenger list|framed wedding picture|diary in old handwriting|camera strap',
    ),
  },
  {
    match: /neighbourhood|local clubs/,
    nouns: list(
      'notice board|street party banner|bench by the pond|allotment key|club newsletter|village pump|tool library card|community piano|lending shelf|playground fence|raffle drum|lost glove on a railing',
    ),
  },
  {
    match: /pets|animals/,
    nouns: list(
      'cat flap|budgerigar cage|dog lead|hedgehog house|goldfish bowl|tortoise crate|rabbit hutch|bird feeder|collar with a tin tag|stable broom|kennel roof|pigeon loft',
    ),
  },
  {
    match: /markets|second-hand/,
    nouns: list(
      'pewter jug|typewriter ribbon tin|chipped willow-pattern plate|brass door handle|hat box|mantel clock|stamp album|paraffin lamp|marble bookend|crate of comics|porcelain owl|leather suitcase',
    ),
  },
  {
    match: /letters, cards|stationery/,
    nouns: list(
      'fountain pen|birthday card list|sealing wax set|pad of squared paper|paper knife|pencil case|postcard rack|desk blotter|rubber stamp|envelope of foreign stamps|ring binder|ink bottle',
    ),
  },
  {
    match: /films, radio|theatre/,
    nouns: list(
      'valve radio|theatre programme|film poster|opera glass|cinema ticket roll|stage model|script of a radio play|velvet seat cushion|projector reel|puppet theatre|prompt book|popcorn tin',
    ),
  },
  {
    match: /holidays/,
    nouns: list(
      'beach pebble|camping stove|snow globe|rucksack patch|ferry postcard|sun hat|caravan key ring|seashell box|mountain hut stamp book|travel chess set|deck chair|lighthouse magnet',
    ),
  },
  {
    match: /school days/,
    nouns: list(
      'school satchel|class photograph|wooden ruler|spelling prize|gym bag|geometry set|inkwell|school magazine|playground marble|recorder in a cloth bag|blackboard sponge|exercise book with doodles',
    ),
  },
  {
    match: /woodwork|sewing|handicraft/,
    nouns: list(
      'marking gauge|patchwork quilt|knitting pattern|spoon carved from birch|button jar|embroidery hoop|workbench vice|crochet hook|dovetail box|sewing machine pedal|plaited basket|pincushion',
    ),
  },
  {
    match: /festivals|customs/,
    nouns: list(
      'paper lantern|carnival mask|maypole ribbon|harvest wreath|nativity figure|bonfire stack|procession drum|painted egg|brass band cap|midsummer crown|kite with a long tail|fairground ticket',
    ),
  },
];

/** Things in the vocabulary of a domain that an expert's answer still has no use for. */
const DOMAIN: readonly AreaNouns[] = [
  {
    match: /building or sign of a practice or pharmacy/,
    nouns: list(
      'photograph of the pharmacy window|sketch of the practice staircase|brass plate of a former practice|postcard of an old apothecary|note with pharmacy opening hours|model of the corner pharmacy|mosaic from the practice entrance|key fob shaped like a mortar',
    ),
  },
  {
    match: /health magazine|podcast or series about doctors/,
    nouns: list(
      'health magazine with a crossword|box set of a hospital drama|poster of a series about doctors|pile of health supplements|mug from a medical podcast|quiz page of a health magazine|bookmark from a health fair|jingle of a health podcast',
    ),
  },
  {
    match: /choir, sports team or fair of a hospital/,
    nouns: list(
      'model railway of a hospital porter|banjo of a ward clerk|allotment of a theatre nurse|kite of a hospital cook|stamp collection of a radiographer|canoe of a midwife|choir folder of a surgeon|sourdough jar of a nurse',
    ),
  },
  {
    match: /health insurance/,
    nouns: list(
      'folder for insurance letters|plastic sleeve for an insurance card|label maker for insurance paperwork|shoebox of insurance envelopes|magnet from a health insurance stand|calendar from the insurance office|paper clip for premium notices|drawer of insurance brochures',
    ),
  },
  {
    match: /charity raffle/,
    nouns: list(
      'raffle ticket from a charity evening|rosette from a hospital raffle|rolled poster of a charity raffle|tin won at a hospital raffle|striped ribbon from a raffle table|thank-you card from a charity raffle|photograph of a raffle drum|paper bag from a raffle stall',
    ),
  },
  {
    match: /waiting room/,
    nouns: list(
      'waiting room aquarium|stack of waiting room magazines|print of a sailing ship in a waiting room|waiting room radio|rubber plant of a waiting room|toy corner of a waiting room|striped waiting room chair|waiting room umbrella stand',
    ),
  },
  {
    match: /newsletters or talks about the subject|magazines, newsletters/,
    nouns: list(
      'magazine subscription on the subject|newsletter about the trade|recording of a public talk|folder of magazine covers|lecture flyer|programme of a talk series|stack of trade newsletters|sticker from a lecture',
    ),
  },
  {
    match: /shop or venue in the field/,
    nouns: list(
      'photograph of a trade shop front|paper bag from a specialist shop|loyalty card of a closed shop|map of the venue car park|shop bell|postcard of the venue|window display of a small shop|receipt spike from a shop counter',
    ),
  },
  {
    match: /people who work in the field/,
    nouns: list(
      'rowing cap of a friend in the trade|sourdough jar of a specialist|banjo of a trade acquaintance|stamp album of an old hand|kite of a friend from the trade|motorcycle of a specialist|choir folder of an expert|chess set of a friend in the field',
    ),
  },
  {
    match: /old book or leaflet/,
    nouns: list(
      'old handbook as a doorstop|leaflet used as a bookmark|guide with a broken spine|pamphlet in a picture frame|second-hand manual|book with a pressed fern|brochure under a table leg|dust jacket of an old guide',
    ),
  },
  {
    match: /club in the field/,
    nouns: list(
      'club summer party|quiz trophy of the club|tea urn of the club|club banner|cake list of the club|club raffle book|slide evening of the club|club anniversary mug',
    ),
  },
  {
    match: /souvenirs and decorations/,
    nouns: list(
      'souvenir spoon|tin sign|themed fridge magnet|printed cushion|miniature in a bottle|wall calendar with drawings|novelty clock|embossed tray',
    ),
  },
  {
    match: /newsletters, podcasts or talks about programming/,
    nouns: list(
      'programming newsletter|podcast about old compilers|recording of a keynote|playlist of conference talks|printed interview with a developer|folder of weekly coding mails|sticker from a coding podcast|transcript of a software talk',
    ),
  },
  {
    match: /stickers, mugs and posters/,
    nouns: list(
      'mug with a semicolon|poster of keyboard layouts|laptop sticker of a penguin|coaster printed with binary|T-shirt with a terminal prompt|calendar of famous programmers|magnet shaped like a cursor|enamel pin of a floppy disk',
    ),
  },
  {
    match: /names given to machines/,
    nouns: list(
      'laptop named after a river|backup disk with a nickname|router labelled like a ship|folder named after a cheese|printer with a pet name|server label in gothic script|branch named after a bird|memory stick with a nickname',
    ),
  },
  {
    match: /meet-up or conference/,
    nouns: list(
      'conference lanyard|meet-up pizza box lid|badge from a developer day|tote bag from a conference|photograph of a crowded meet-up|conference water bottle|seating plan of a hackathon|menu of a conference dinner',
    ),
  },
  {
    match: /people who write software/,
    nouns: list(
      'beehive of a software tester|cello of a backend developer|canoe of a web designer|pottery wheel of a programmer|vintage radio of a developer|allotment of a data engineer|sailing knot board of a coder|bread oven of a developer',
    ),
  },
  {
    match: /shelf, desk and chair/,
    nouns: list(
      'desk lamp with a green shade|keyboard tray|monitor stand made of books|desk drawer of cables|swivel chair with a patch|shelf of programming magazines|cork board above the desk|mouse mat with a map',
    ),
  },
];

const ANY: readonly Measured[] = list(
  'biscuit tin|pocket torch|glass paperweight|wooden tray|picture frame|key hook|garden bench|paper fan|wall map|tin box|brass bell|linen bag',
);

/** The nouns of the area a scene card names; general ones for an area this table does not know. */
export function nounsOf(area: string): readonly Measured[] {
  return [...EVERYDAY, ...DOMAIN].find((entry) => entry.match.test(area))?.nouns ?? ANY;
}
