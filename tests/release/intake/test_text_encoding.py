"""Encodings: what reads as Western European and is not must be said."""

import pytest

from dprivacy.errors import UnclearTable
from dprivacy.release.intake.table_format import format_of
from dprivacy.release.intake.table_settings import Intake, TableSettings
from dprivacy.release.intake.text_encoding import encoding_of

WESTERN = {
    "French": "Nom,Prénom,Réponse\nÉlodie,à Genève,«déjà vu»\nœuvre,ça,où\n",
    "Portuguese": "Educação,Situação,Ocupação\nNão,São Paulo,União\n",
    "Icelandic": "Þórður,Guðrún,Ísafjörður\nþýða,ýmislegt,æska\n",
    "Swedish": "Ålesund,Östersund,Åkerö\nnej,på ö,få år\n",
    "German": "Größe,Übermaß,Öl\nWeiß,Straße\n",
    "English": "don’t know,“yes”,it’s\ncan’t – won’t,…,he’s\n",
    "Spanish": "Sí,Málaga,¿Qué?,niño\n¡Olé!,años\n",
    "Finnish": "Hämeenlinna,Jyväskylä,Töölö\nyö,työ\n",
}
OTHERS = {
    ("hiragana", "cp932"): "なまえ,まち\nさくら,おおさか\n",
    ("katakana", "shift_jis"): "ナマエ,マチ\nサクラ,カナ\n",
    ("narrow katakana", "shift_jis"): "ﾅﾏｴ,ﾏﾁ\n",
    ("kanji", "shift_jis"): "氏名,都市\n山田太郎,京都\n",
    ("kanji and katakana", "cp932"): "名前,年齢\nアンナ,30\nケン,41\n",
    ("Japanese", "euc_jp"): "名前,年齢\nアンナ,30\n",
    ("Chinese", "gb18030"): "姓名,城市\n张伟,北京\n王芳,上海\n",
    ("traditional Chinese", "big5"): "姓名,城市\n陳美,臺北\n王芳,高雄\n",
    ("Korean", "cp949"): "이름,도시\n김철수,서울\n",
    ("Russian", "cp1251"): "Имя,Город\nАнна,Москва\n",
    ("Russian of old", "koi8_r"): "Имя,Город\nАнна,Москва\n",
    ("Greek", "cp1253"): "Όνομα,Πόλη\nΆννα,Αθήνα\n",
    ("Hebrew", "cp1255"): "שם,עיר\n",
}


@pytest.mark.parametrize("language", WESTERN)
def test_western_languages_are_read(language):
    assert encoding_of(WESTERN[language].encode("cp1252"))[0] == "cp1252"


def test_a_last_letter_beyond_a_to_z_is_western_too():
    assert encoding_of("Nom\nAndré\ncafé".encode("cp1252"))[0] == "cp1252"


def test_lines_of_two_encodings_are_asked_about(tmp_path):
    """Read as one of them, the texts of the other would be published as something else."""
    path = tmp_path / "in.csv"
    path.write_bytes("id,name\n1,André\n".encode() + "2,Éva\n3,Zoë\n".encode("cp1252"))
    with pytest.raises(UnclearTable, match="some of its lines read as UTF-8, and others do not"):
        format_of(path, Intake())


@pytest.mark.parametrize("kind", OTHERS, ids=lambda kind: f"{kind[0]} in {kind[1]}")
def test_other_writing_is_asked_about(kind, tmp_path):
    path = tmp_path / "in.csv"
    path.write_bytes(OTHERS[kind].encode(kind[1]))
    with pytest.raises(UnclearTable, match=r"is neither|not UTF-8.*pass its encoding as --enc"):
        format_of(path, Intake())
    said = Intake(TableSettings(encoding=kind[1], header=True))
    assert format_of(path, said).encoding == TableSettings(encoding=kind[1]).encoding


@pytest.mark.parametrize("kind", OTHERS, ids=lambda kind: f"{kind[0]} in {kind[1]}")
def test_the_same_in_utf_8_is_read(kind):
    assert encoding_of(OTHERS[kind].encode())[0] == "utf-8"
