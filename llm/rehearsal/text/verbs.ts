/** Base forms of verbs that people use of themselves; a sentence with an unknown verb is left alone rather than guessed at. */
export const BASE_VERBS: ReadonlySet<string> = new Set(
  (
    'accept ache add admit adore agree allow answer apply appreciate approach argue arrive ask assume attend avoid babysit bake become begin believe belong bleed blame ' +
    'borrow breathe breed bring brush build burn buy call care carry catch change check choose clean clear climb coach code collect come commute compare compile complain compute connect ' +
    'consider consist consume contain continue contract control cook cope cost cough count cover crave create cry cut cycle dance deal decide define delete deliver depend deploy describe ' +
    'deserve design desire develop diet disagree dislike do download draw dream dress drink drive drop earn eat edit email employ enable encounter end enjoy enter exercise expect experience ' +
    'explain export expose face fail fall fast fear feed feel fetch fight figure file fill find finish fit fix fly follow force forget freelance garden gain generate get give go grow ' +
    'guess handle happen hate have head hear help hike hire hit hold home host hurt identify imagine implement import include increase inherit initialise initialize inject insert install ' +
    'intend interact invest iterate join jog keep know lack last lead lean learn leave lend let lie lift like limit list listen live load lock log look loop lose love lower maintain ' +
    'make manage mean measure meditate meet mind miss mix monitor move need neglect normalise normalize notice observe obtain offer open operate order organise organize overeat owe own pack paint panic park ' +
    'parse pass pay perform pick place plan plant play plot practice practise pray prefer prepare prescribe prevent print process produce program provide pull push put query quit raise rate ' +
    'reach react read realise realize rebuild receive recognise recognize recommend record recover reduce refuse regret relax rely remain remember remove rent repeat replace report require ' +
    'research rest retrieve return review ride rinse rub run save scan schedule scratch search see seem select sell send serve set share shave shop show shower sit skate skip sleep smell ' +
    'smoke sneeze snore sort speak spend stand start stay step stick stop store stream stretch struggle study stutter submit suffer suggest supply support suspect swallow sweat swim switch take ' +
    'talk taste teach tell tend test think throw tolerate touch track train travel treat trust try turn type understand update upgrade upload urinate use vape visit volunteer vomit wait wake ' +
    'walk want wash watch weigh wear weave wish wonder work worry wrap write yawn'
  ).split(' '),
);

/** Past forms that do not end in -ed. */
export const IRREGULAR_PASTS: ReadonlySet<string> = new Set(
  (
    'ate became began bit bled blew bore bought bound bred broke brought built burnt came caught chose clung cost crept cut dealt did drank drew dreamt drove fed fell felt fled flew forgot ' +
    'fought found froze gave got grew had heard held hid hit hurt kept knelt knew laid lay leant learnt led left lent let lit lost made meant met misread mistook overdid overslept paid put quit ran rang read ' +
    'rebuilt redid rode rose said sang sat saw sent set shook shot shrank shut slept slid sold spat spent spilt split spoke spread sprang stole stood stuck stung struck swam swore swept swelled ' +
    'taught thought threw told took tore understood underwent undertook upset was went were wet withdrew woke won wore wound wove wrote'
  ).split(' '),
);

/** Verbs that are as often nouns: after "and" nobody can tell without a parser. */
export const ALSO_NOUNS: ReadonlySet<string> = new Set(
  (
    'ache answer balance bend bleed blame breed burn call care change check code cost cough count cover cry cut dance deal design desire diet dislike download dream dress drink drive drop ' +
    'end exercise experience export face fall fast fear feed fight figure file fill fit fix fly garden gain guess handle head help hike hit hold home host hurt import increase insert iterate ' +
    'lack last lead lift like limit list load lock log look loop love measure mind miss mix monitor move need neglect offer order pack paint panic park pass pay pick place plan plant play plot ' +
    'practice print process produce program pull push query raise rate reach record regret remain report request research rest return review ride rub run scan schedule scratch search set shave shop ' +
    'show shower skate skip sleep smell smoke sneeze snore sort spend stand start stay step stick stop store stream stretch struggle study supply support suspect sweat swim switch talk taste test ' +
    'touch track train travel treat trust try turn type update upgrade upload use vape visit volunteer vomit wait wake walk wash watch wear weave wish wonder work worry wrap yawn'
  ).split(' '),
);

/** Third person singular of a base form: take → takes, carry → carries, go → goes. */
export function thirdPerson(base: string): string {
  if (base === 'have') return 'has';
  if (base === 'do' || base === 'go') return `${base}es`;
  if (/(?:s|x|z|ch|sh)$/.test(base)) return `${base}es`;
  if (/[^aeiou]y$/.test(base)) return `${base.slice(0, -1)}ies`;
  return `${base}s`;
}

/** Whether a word is a past form: known irregular or ending in -ed. */
export function isPast(word: string): boolean {
  return IRREGULAR_PASTS.has(word) || (/[a-z]{2}ed$/.test(word) && !/^(?:need|feed|bleed|breed|speed|exceed|proceed|succeed)$/.test(word));
}
