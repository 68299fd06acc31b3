"""Irregular forms and the word they are forms of, which no stemmer finds: `went` is `go`, `vécu` is `vivre`.

French verbs come in families that share their endings; a form is listed with and without its accents. What is also
a frequent word with a meaning of its own (`lit`, `bois`, `cours`, `rose`) is left out, and what the stemmer finds by
itself.
"""

import unicodedata
from collections.abc import Iterator, Mapping

_FAMILIES = """
    pren appren compren surpren repren entrepren | dre | d ds ez ons nent ant ais ait aient ne nes;
    surpren appren entrepren | dre | ants ante antes;
    pr appr compr surpr repr entrepr | endre | is ise ises it irent;
    m perm prom adm comm soum transm rem ém dém | ettre | ets et ettez ettons ettent ettant ettait ettaient
        is ise ises it irent ette;
    v rev dev parv surv interv prév prov conv souv subv t obt maint cont ret sout dét appart entret abst |
        enir | iens ient iennent enons int inrent iendra iendrai iendront iendrait iendraient ienne;
    v dev parv surv interv prév prov conv souv subv t obt maint ret sout appart entret abst |
        enir | enu enue enus enues;
    rev cont dét | enu | enus;
    v rev prév entrev | oir | oit oient oyez oyons oyant oyants oyait oyaient u ue us ues irent;
    v rev entrev | oir | erra erront errait;
    s | avoir | ais ait avent avez avons avait avaient ut urent aura auront aurait ache;
    f | aire | aisait aisaient aisant aites era eront erait eraient irent;
    d | evoir | evait evaient evra evront evrait ut urent oivent;
    v | ouloir | eut eulent oulu oulue oulus oulues oulait oulaient oulut oudra oudrait euille;
    p | ouvoir | ouvait ouvaient ourra ourront ourrait urent;
    re per con dé aper | cevoir | çois çoit çoivent cevez cevons cevait cevaient cevant çu çue çus çues çut
        çurent cevra cevront cevrait;
    dé | cevoir | cevants cevante cevantes;
    n ren | aître | ais aît ait aissent aissait aissaient aissant aquit aquirent aissance aissances;
    n | aître | é ée és ées;
    m | ourir | eurs eurt eurent ort orte orts ortes ourut oururent ourra ourront;
    conn reconn méconn par appar dispar compar transpar réappar | aître | ais aît ait aissent aissait
        aissaient aissant u ue us ues ut urent;
    reconn | aître | aissants aissante aissantes;
    accr | oître | oît oit oissent oissait oissaient oissant u ue us ues ut urent;
    cr | oire | oit oient oyait oyaient oyant oyants oyante oyantes oyez ut urent;
    cr | u | us;
    b | oire | oit oivent uvait uvaient uvant uvez;
    l él | ire | isent isait isaient isant u ue us ues ut urent;
    él | ire | it is;
    préd interd contred d | ire | isent isait isaient isant ites;
    préd interd contred | ire | it ite its;
    é dé ins pres sous trans pros circons | crire | cris crit crivent crivait crivaient crivant crite crits
        crites crivit crivirent;
    cond prod réd séd trad introd déd ind constr détr instr reconstr reprod end | uire | uit uisent uisait
        uisaient uisant uite uits uites uisit uisirent;
    séd | uire | uisants uisante uisantes;
    prod réd trad introd déd constr instr reconstr reprod | uire | uction uctions;
    v surv rev | ivre | ivent ivait ivaient ivant ivants ivante ivantes écu écut écurent écue écus écues;
    s pours | uivre | uit uivent uivait uivaient uivi uivie uivis uivies uivit uivirent;
    b comb ab déb | attre | ats at attent attait attaient attant attu attue attus attues attit attirent;
    comb | attre | attants attante attantes;
    per ven ren ten atten enten préten éten pen dépen suspen fen défen répon correspon descen mor tor répan
        | dre | ds d dent dons dez dait daient du due dus dues dit dirent;
    pe cra jo atte éte contra pla rejo restre | indre | int ignent ignait ignaient ignant inte ints
        intes ignit ignirent;
    contra pla | indre | ignants ignante ignantes;
    rés | oudre | out olvent olu olue olus olues olut;
    ou décou cou recou entrou | vrir | vrent vert verte verts vertes;
    o | ffrir | ffre ffres ffrait ffraient ffrant ffrants ffrit ffrirent;
    o sou | ffrir | ffrent ffert fferte fferts ffertes;
    ac con re | quérir | quiert quièrent quis quise quises quit quirent;
    c parc acc sec | ourir | ourent ouru ourue ourus ourues ourut oururent;
    v | aloir | aut alent alait alaient alu alut audra;
    | aller | vais vont allait allaient iront irait aille;
    v conv | aincre | ainc ainquit ainquirent aincu aincue aincus aincues ainquent;
    in con ex | clure | clus clut cluent cluait cluaient clurent;
    con ex | clure | clu clue clues;
    in | clure | cluse cluses;
    fon confon | dre | dent dait daient du due dus dues dit dirent;
    | oeil | yeux;
"""
"""Beginnings, ending of the infinitive, other endings."""
_ENGLISH = """
    become became, begin began begun, bend bent, bite bitten, blow blew blown, break broke broken, breed bred,
    bring brought, build built, burn burnt, buy bought, catch caught, choose chose chosen, cling clung, come
    came, creep crept, deal dealt, dig dug, draw drew drawn, dream dreamt, drink drank drunk, drive drove
    driven, eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought, find found, flee fled, fly flew
    flown, forbid forbade forbidden, forget forgot forgotten, forgive forgave forgiven, freeze froze frozen, get
    got gotten, give gave given, go goes went gone, grow grew grown, hang hung, hear heard, hide hid hidden,
    hold held, keep kept, kneel knelt, know knew known, lead led, learn learnt, leave left, lend lent, lose
    lost, make made, mean meant, meet met, pay paid, ride rode ridden, ring rang rung, rise risen, run ran, say
    said, see saw seen, seek sought, sell sold, send sent, shake shook shaken, shine shone, shoot shot, show
    shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat, sleep slept, speak spoke spoken, spend
    spent, spin spun, stand stood, steal stole stolen, stick stuck, sting stung, strike struck, swear swore
    sworn, sweep swept, swim swam swum, swing swung, take took taken, teach taught, tear tore torn, tell told,
    think thought, throw threw thrown, understand understood, wake woke woken, wear wore worn, weave wove woven,
    weep wept, win won, withdraw withdrew withdrawn, write wrote written, overcome overcame, undergo underwent
    undergone, undertake undertook undertaken, child children, foot feet, half halves, knife knives, man men,
    mouse mice, person people, shelf shelves, thief thieves, tooth teeth, wife wives, wolf wolves, woman women
"""


_OTHERWISE = """
    entreprise entreprises entretiens fondue fondues permis prise prises produit produits rendez revue revues savons
    soutiens surprise surprises tendons tenue tenues tienne venus vienne
    drew left shot thought
"""
_OWN = frozenset(_OTHERWISE.split())
"""Forms that are rather words of their own: `Vienne` is a town, `savons` is soap."""


def _forms() -> Iterator[tuple[str, str, str]]:
    """Give language, form and word."""
    for family in _FAMILIES.split(";"):
        begun, _, rest = family.partition("|")
        ending, _, forms = rest.partition("|")
        for beginning in begun.split() or [""]:
            word = beginning + ending.strip()
            yield from (("fr", beginning + form, word) for form in forms.split())
    for group in _ENGLISH.split(","):
        word, *others = group.split()
        yield from (("en", form, word) for form in others)


def _table() -> dict[str, dict[str, str]]:
    table: dict[str, dict[str, str]] = {"fr": {}, "en": {}}
    for language, form, word in _forms():
        if form in _OWN:
            continue
        forms = table[language]
        forms.setdefault(form, word)
        if not form.isascii():
            plain = unicodedata.normalize("NFKD", form).encode("ascii", "ignore").decode()
            forms.setdefault(plain, word)
    return table


IRREGULAR: Mapping[str, Mapping[str, str]] = _table()
"""Language → form, in lower case → word."""
