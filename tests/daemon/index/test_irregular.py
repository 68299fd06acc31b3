"""Irregular forms lead to their word, words of their own to nothing, and none is listed in vain (R-M05)."""

import pytest
import Stemmer

from daemon.index import irregular
from daemon.index.irregular import IRREGULAR
from daemon.index.ranking import passages
from daemon.index.words import LANGUAGES, folded, stem_of

FRENCH = """
    revenu revenus revenue revenues, contenu contenus, détenu détenus détenue détenues, entreprise entreprises,
    produit produits, revue revues, surprise surprises, prise prises, mise mises, remise remises, reprise reprises,
    tenue tenues, venue venues, étendue étendues, vue vues, entrevue entrevues, soutien soutiens,
    entretien entretiens, savon savons, tendon tendons, cru crus crue crues, adjoint adjoints adjointe adjointes,
    joint joints, plainte plaintes, crainte craintes, contrainte contraintes, atteinte atteintes, écrit écrits,
    reçu reçus, élu élus, mort morts, conduite conduites, enduit enduits, débat débats, combat combats,
    offre offres, couvert couverts, découverte découvertes, fondue fondues, voyant voyants, croyant croyants,
    vivant vivants, survivant survivants, combattant combattants, plaignant plaignants, apprenant apprenants,
    naissance naissances, traduction traductions
"""
ENGLISH = "thought thoughts, shot shots, child children, knife knives, foot feet"


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        (language, tuple(group.split()))
        for language, groups in (("fr", FRENCH), ("en", ENGLISH))
        for group in groups.split(",")
    ],
)
def test_a_form_and_its_plural_have_one_stem(language, forms):
    assert len({stem_of(form, language) for form in forms}) == 1


@pytest.mark.parametrize(
    ("language", "word", "others"),
    [
        ("fr", "vienne", "venir viennent"),
        ("fr", "rené", "renaître renaissance"),
        ("fr", "renée", "renaître renaissance"),
        ("fr", "rene", "renaître renaissance"),
        ("fr", "revenus", "revenir revient"),
        ("fr", "contenu", "contenir contient"),
        ("fr", "détenu", "détenir détient"),
        ("fr", "entreprises", "entreprendre entreprend"),
        ("fr", "produits", "produire produisent"),
        ("fr", "revue", "revoir revoit"),
        ("fr", "permis", "permettre permet"),
        ("fr", "savons", "savoir sait"),
        ("fr", "crue", "croire croit"),
        ("en", "thought", "think"),
        ("en", "shot", "shoot"),
        ("en", "left", "leave"),
        ("en", "drew", "draw"),
    ],
)
def test_a_word_of_its_own_has_another_stem_than_the_verb_it_looks_like(language, word, others):
    assert stem_of(word, language) not in {stem_of(other, language) for other in others.split()}


def test_forms_have_the_stem_of_verbs_that_are():
    assert stem_of("accru", "fr") == stem_of("accroît", "fr") == stem_of("accroître", "fr")
    assert stem_of("enduisait", "fr") == stem_of("enduire", "fr")
    assert not {"accraître", "encuire", "renaaître"} & set(IRREGULAR["fr"].values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_form_leads_to_another_stem_than_it_would_alone(language):
    stem = Stemmer.Stemmer(language, 0).stemWord
    alike = {form for form, word in IRREGULAR[language].items() if folded(stem(form)) == folded(stem(word))}
    assert alike == set()


def test_words_of_their_own_would_else_be_forms():
    assert {form for _, form, _ in irregular._forms()} >= irregular._OWN


def test_income_is_found_before_who_came_back(settled):
    settled.put("Retour.md", "Il est revenu.\n")
    settled.put("Budget.md", "Les revenus de 2024.\n")
    settled.put("Arts.md", "La Renaissance.\n")
    settled.put("Amis.md", "Un repas avec René.\n")
    settled.put("Pluie.md", "Elle revient.\n")
    settled.settle()

    def found(query):
        return [one.path for one in passages(settled.index.connection, query, 5)]

    assert found("quels sont les revenus ?") == ["Budget.md", "Retour.md"]
    assert found("René") == ["Amis.md"]
