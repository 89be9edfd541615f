"""Word lists for reading the context: closed classes, verbs, and nouns for persons and things, in lower case."""

from __future__ import annotations

import re


def word_set(text: str) -> frozenset[str]:
    """The words of a text, which reads better than a list of them.

    >>> sorted(word_set("street road"))
    ['road', 'street']
    """
    return frozenset(text.split())


POSSESSIVES = word_set("my your his her its our their whose")
DETERMINERS = POSSESSIVES | word_set(
    """
    a an the this that these those some any no every each another one two three four five six seven eight nine ten
    several many most few both all other such which what either neither only 's
    """
)
PREPOSITIONS = word_set(
    """
    about above across after against along among around as at before behind below beneath beside besides between beyond
    by despite down during except for from in inside into like near of off on onto out outside over past per since than
    through throughout till to toward towards under until unlike up upon via with within without
    """
)
BE = word_set("am is are was were be been being isn't aren't wasn't weren't 's 're 'm")
AUXILIARIES = BE | word_set(
    """
    has have had hasn't haven't hadn't do does did don't doesn't didn't can could will would shall should may might must
    can't couldn't won't wouldn't shouldn't mustn't cannot
    """
)
PRONOUNS = word_set(
    """
    i me mine myself you yours yourself he him himself she hers herself it itself we us ours ourselves they them theirs
    themselves who whom someone somebody anyone anybody everyone everybody nobody none nothing something anything
    everything i'm i've i'd i'll you're we're they're he'd he'll she'd she'll it'll
    """
)
_CONJUNCTIONS = word_set(
    """
    and but or nor so yet because although though while whereas if unless when whenever where wherever once that why how
    whether which who what then also too not n't never ever again still just already even almost always often sometimes
    soon now here there anymore anyway instead either both else very quite rather really maybe perhaps more less alone
    together please yes no ok okay well hi hello hey dear thanks thank congratulations sorry hence however meanwhile
    therefore finally first second last next later otherwise honestly today tomorrow yesterday tonight twice everywhere
    away back far long hard fast much early late home let let's
    """
)
FUNCTION = DETERMINERS | PREPOSITIONS | AUXILIARIES | PRONOUNS | _CONJUNCTIONS
TIMES = word_set(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
    october november december christmas easter
    """
)
TITLES = word_set(
    """
    mr mrs ms miss mx dr doctor prof professor sir dame lord lady king queen prince princess duke duchess saint st sankt
    san santa santo sao pope father sister brother aunt auntie uncle mother grandma grandpa president senator governor
    judge justice captain colonel general sergeant major officer detective coach rabbi imam reverend rev bishop cardinal
    emperor empress count countess baron mount fort port lake cape camp
    """
)
_PERSONS = word_set(
    """
    person people man woman men women child children boy girl kid baby toddler teenager teen adult guy lady gentleman
    gentlemen gal folk human individual someone somebody anyone
    mother father mom mum dad parent grandmother grandfather grandparent sister brother sibling daughter son wife
    husband spouse partner aunt uncle niece nephew cousin twin friend boyfriend girlfriend neighbor neighbour roommate
    flatmate housemate relative
    colleague coworker co-worker boss manager supervisor employee worker employer intern trainee assistant secretary
    clerk cashier waiter waitress server bartender barista chef cook baker butcher farmer gardener cleaner janitor
    driver pilot captain sailor passenger commuter cyclist rider pedestrian traveler traveller visitor guest host
    hostess owner landlord tenant resident citizen immigrant migrant refugee foreigner native customer client shopper
    buyer seller salesperson vendor trader dealer merchant agent broker accountant lawyer attorney judge juror witness
    detective officer policeman policewoman firefighter soldier veteran guard doctor nurse surgeon physician dentist
    therapist psychologist psychiatrist paramedic midwife pharmacist patient carer caregiver teacher professor lecturer
    instructor tutor student pupil graduate undergraduate classmate principal scientist researcher engineer developer
    programmer designer architect builder carpenter plumber electrician mechanic technician welder miner writer author
    poet novelist journalist reporter editor critic reviewer blogger translator interpreter librarian actor actress
    director producer filmmaker singer musician rapper dancer artist painter sculptor photographer comedian performer
    athlete player runner swimmer skater boxer wrestler footballer coach referee fan supporter leader politician mayor
    senator minister president governor candidate voter activist protester demonstrator volunteer organizer founder
    entrepreneur businessman businesswoman businessperson executive director chairman chairwoman spokesman spokeswoman
    member participant contestant winner loser champion speaker listener reader viewer user applicant candidate expert
    specialist consultant analyst investor priest pastor imam rabbi monk nun believer worshipper pilgrim stranger
    passer-by bystander survivor victim suspect prisoner inmate hero villain detainee defendant plaintiff
    hairdresser barber tailor model maid nanny babysitter receptionist concierge porter guide tourist backpacker camper
    hiker climber explorer astronaut academic scholar philosopher historian economist chemist physicist biologist
    worker laborer apprentice craftsman crew staff youth youngster youngsters newcomer speaker inventor hunter fisherman
    shopkeeper grocer courier postman steward stewardess attendant officer helper mentor singer-songwriter
    protagonist
    """
)
_PLURAL_PERSONS = {"children": "child", "men": "man", "women": "woman", "people": "person", "gentlemen": "gentleman"}
_NOT_IST = word_set(
    "list mist fist twist wrist waist assist exist resist consist insist persist checklist playlist gist"
)
_COMMUNITIES = word_set(
    """
    family families couple couples community communities household households group groups population minority
    minorities audience congregation crowd neighborhood
    """
)
_THINGS = word_set(
    """
    restaurant restaurants food cuisine dish dishes wine wines beer film films movie movies cinema song songs music band
    book books novel novels literature poetry art painting history culture tradition traditions customs government
    governments parliament president ministry minister embassy ambassador consulate army navy soldiers troops police
    border borders economy market markets company companies firm firms bank banks factory factories farm farms product
    products car cars train trains airline airport ship ships flag anthem passport passports visa visas citizenship
    nationality village villages town towns city cities coast coastline countryside island islands mountains landscape
    port ports capital river rivers lake beach beaches hotel hotels cafe bakery bakeries shop shops store stores
    newspaper newspapers magazine press media television radio team teams club clubs league football player players
    coach athletes election elections voters politics politician politicians law laws court courts constitution
    exports imports goods trade currency weather winter summer society people population tourists authorities officials
    diplomats officer officers university universities schools kitchen recipe recipes chocolate coffee tea cheese bread
    rice oil gas steel fashion designer architecture furniture dance theater theatre opera festival festivals
    holiday holidays restaurant-owner scientists researchers engineers workers students
    """
)
_MODIFIERS = word_set(
    """
    young old older elderly little tall short small big middle-aged single married retired former local famous popular
    female male black white asian rich poor working-class college university school high graduate medical law nursing
    police football soccer basketball tennis baseball hockey taxi bus truck software business restaurant bar shop hotel
    professional amateur senior junior new first-time aspiring talented friendly nice kind rude honest handsome
    beautiful teenage adult disabled deaf blind independent investigative exchange war army
    """
)
KIN = word_set(
    """
    mother father mom mum mommy mama dad daddy papa grandmother grandfather grandma grandpa granny parent grandparent
    sister brother daughter son wife husband aunt auntie uncle niece nephew stepmother stepfather granddaughter grandson
    girlfriend boyfriend fiancee fiancé fiancée mothers fathers grandmothers grandfathers
    """
)
GENDERED = {
    "she": word_set(
        """
        mother mom mum mommy mama grandmother grandma granny sister daughter wife aunt auntie niece girlfriend queen
        princess actress waitress hostess heiress bride widow nun lady woman girl gal madam mrs ms miss duchess countess
        goddess heroine landlady saleswoman businesswoman policewoman stewardess stepmother granddaughter stepdaughter
        mother-in-law sister-in-law daughter-in-law fiancee fiancée maid barmaid witch schoolgirl housewife mistress
        spokeswoman congresswoman chairwoman stepsister godmother seamstress ballerina diva ma'am female
        """
    ),
    "he": word_set(
        """
        father dad daddy papa grandfather grandpa brother son husband uncle nephew boyfriend king prince waiter groom
        widower monk priest gentleman man boy guy sir mr duke emperor god lord landlord salesman businessman policeman
        steward stepfather grandson stepson father-in-law brother-in-law son-in-law fiancé wizard schoolboy spokesman
        congressman chairman fireman stepbrother godfather fisherman postman jesus christ muhammad buddha pope male
        """
    ),
}
_VERBS = word_set(
    """
    said says say told tells tell asked asks ask thought thinks think knew knows know felt feels feel went goes go came
    comes come got gets get gave gives give took takes take made makes make saw sees see found finds find left leaves
    leave kept keeps keep brought brings bring bought buys buy sold sells sell wrote writes write spoke speaks speak
    stood stands stand sat sits sit ran runs run won wins win lost loses lose led leads lead met meets meet paid pays
    pay sent sends send slept sleeps sleep spent spends spend taught teaches teach threw throws throw understood wore
    wears wear woke wakes broke breaks break built builds build caught catches catch chose chooses choose cut cuts drank
    drinks drink drove drives drive ate eats eat fell falls fall flew flies fly forgot forgets forget grew grows grow
    heard hears hear held holds hold hit hits hurt hurts laughed laughs laugh smiled smiles smile lives live works work
    wants want needs need likes like loves love hates hate looks look seems seem sounds appears becomes became plays
    play reads read rode rides sang sings sing shook shut sold spilled started starts stole swam swore tore put puts
    cost fought froze hid knelt laid lay lent lied lies rang rose shot shone showed sank slid stuck struck swept swung
    woke beat beats helps help calls call uses use tries try turns turn moves move believes believe hopes agrees deserve
    deserves face faces rarely suffers earn earns vote votes drive carry carries stays stay talks talk walks walk waits
    wait arrives leaves begins began ends answers answer smells cries complains complain prefers prefer enjoys enjoy
    remembers remember wonders gathers gather protests protest drew draws draw dealt dug bit bite blew bound clung crept
    fed fled flung forgave froze hung leapt lit meant mean means overcame proved quit sought set sets shed shrank sped
    spun split spread sprang stank strode undertook wept withdrew wove wound showed lacks lack cares care returns return
    reports report opens open closes close follows follow speaks creates create remains remain appear changes change
    died dies die ignores ignore offers offer promises promise recommends recommend explains explain
    """
)
_LY_NOUNS = word_set("family fly reply supply belly jelly lily ally assembly bully")


def is_adverb(word: str) -> bool:
    """Whether a word is an adverb by its ending.

    >>> is_adverb("openly"), is_adverb("family")
    (True, False)
    """
    return word.endswith("ly") and len(word) > 3 and word not in _LY_NOUNS


def person_singular(word: str) -> str:
    """The singular of a noun for persons, "" where it is none that we know.

    >>> person_singular("waiters"), person_singular("women"), person_singular("tables")
    ('waiter', 'woman', '')
    """
    if word in _PERSONS and word not in _PLURAL_PERSONS:
        return word
    if word in _PLURAL_PERSONS:
        return _PLURAL_PERSONS[word]
    for ending, instead in (("ies", "y"), ("es", ""), ("s", "")):
        stem = word[: -len(ending)] + instead
        if word.endswith(ending) and stem in _PERSONS:
            return stem
    stem = word.removesuffix("s")
    if re.fullmatch(r"[a-z-]{3,}(?:ist|ician|woman|person|ologist)", stem) and stem not in _NOT_IST:
        return stem
    return ""


def is_person(word: str) -> bool:
    """Whether a word is a noun for persons, singular or plural.

    >>> is_person("violinist"), is_person("playlist")
    (True, False)
    """
    return person_singular(word) != ""


def is_community(word: str) -> bool:
    """Whether a word denotes a group of persons ("family")."""
    return word in _COMMUNITIES


def is_thing(word: str) -> bool:
    """Whether a word is a thing that countries have ("embassy", "wine")."""
    return word in _THINGS


def is_modifier(word: str) -> bool:
    """Whether a word often is between an identity and a noun for persons ("a deaf college student")."""
    return word in _MODIFIERS


def is_verb(word: str) -> bool:
    """Whether a word is a finite verb that we know, or ends like a past form.

    >>> is_verb("said"), is_verb("opened"), is_verb("tongue")
    (True, True, False)
    """
    return word in _VERBS or (word.endswith("ed") and len(word) > 4)


def may_follow_noun(word: str) -> bool:
    """Whether a word does not make the noun before it a part of a compound ("woman smiled", not "mother tongue").

    >>> may_follow_noun("smiled"), may_follow_noun("who"), may_follow_noun("tongue")
    (True, True, False)
    """
    return not word[:1].isalnum() or word in FUNCTION or is_verb(word) or is_adverb(word) or word.endswith("ing")
