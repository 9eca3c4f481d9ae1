"""Sanitising on a real standalone cluster: what is kept secret, refused, charged and estimated."""

import base64
import sqlite3
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dprivacy.errors import AlreadyReleased, LedgerInterrupted, Malformed, UnknownCategory
from dprivacy.numbers.levels import ln
from dprivacy.release import (
    Ledger,
    Plan,
    Released,
    prove_card,
    query,
    received,
    sanitise,
    sanitise_file,
)
from dprivacy.release.spark.spark_spending import FrameSpending
from support.broken_ledgers import Faults, WoundedConnection
from support.release_tables import weak_rows, with_card
from support.spark_frames import KEY, MARK, PEOPLE, PLAN, leftovers, made
from support.spark_standalone import everything_below


class TestSecrets:
    def test_an_unseen_category_is_told_by_its_place(self, spark, cluster, tmp_path):
        from pyspark.sql import functions as f

        frame = made(spark, 40_000).drop("name")
        strange = f.when(f.col("id") == 12_345, f"{MARK}-strange").otherwise(f.col("hobby"))
        plan = {**PLAN, "drop": []}
        with pytest.raises(UnknownCategory) as error:
            with_card(frame.withColumn("hobby", strange), plan, output=tmp_path / "out")
        text = "partition 1, column 'hobby', row 2345: holds a value outside the declared values"
        assert str(error.value).startswith(text)
        assert error.value.__suppress_context__
        # the places searched are the right ones
        assert text.encode() in everything_below(cluster.folder)

    def test_an_error_of_sparks_own_is_not_repeated(self, spark, tmp_path, capfd):
        frame = made(spark, 1000)
        broken = frame.selectExpr("cast(name as int) as id", "hobby", "truth", "health", "name")
        with pytest.raises(Malformed, match="Spark gave up") as error:
            with_card(broken, PLAN, output=tmp_path / "out")
        heard = capfd.readouterr()
        assert MARK not in str(error.value) + heard.out + heard.err

    def test_nor_is_one_of_a_column_that_was_put_together(self, spark, tmp_path, capfd):
        frame = made(spark, 1000)
        broken = frame.withColumn("id", frame["name"].cast("int"))
        with pytest.raises(Malformed, match="Spark gave up") as error:
            with_card(broken, PLAN, output=tmp_path / "out")
        heard = capfd.readouterr()
        assert MARK not in str(error.value) + heard.out + heard.err

    def test_a_cell_with_our_mark_is_not_taken_for_our_words(self, spark, tmp_path):
        told = f"concat('[dprivacy] BadFile: {MARK}', id)"
        broken = made(spark, 1000).selectExpr(
            f"cast({told} as int) as id", "hobby", "truth", "health", "name"
        )
        with pytest.raises(Malformed, match="Spark gave up") as error:
            with_card(broken, PLAN, output=tmp_path / "out")
        assert MARK not in str(error.value)

    def test_other_errors_of_sparks_stay_as_they_are(self, spark, tmp_path):
        from pyspark.errors import AnalysisException

        with_card(made(spark, 100), PLAN, output=tmp_path / "out")
        with pytest.raises(AnalysisException, match="nowhere"):
            spark.sql("select nowhere from range(3)")

    def test_no_value_and_no_key_is_written_anywhere(self, spark, cluster, tmp_path, fixed):
        source = tmp_path / "in.parquet"
        rng = np.random.default_rng(1)
        tokens = [f"TOKEN{k:05d}" for k in range(5000)]
        values = ["secret-yes", "secret-no"]
        table = pa.table({
            "person": tokens,
            "answer": [values[k] for k in rng.integers(0, 2, 5000)],
        })  # fmt: skip
        pq.write_table(table, source)
        plan = {
            "columns": {"answer": {"type": "categories", "values": values, "epsilon": "ln 3"}},
            "unit": "person",
        }
        frame = spark.read.parquet(str(source))
        clean, card = with_card(frame, plan, output=tmp_path / "out")
        assert clean.columns == ["answer"]
        assert card.dropped == ("person",)
        written = everything_below(cluster.folder) + everything_below(tmp_path / "out")
        assert b"TOKEN" not in written
        listed = ",".join(str(b - 256 * (b > 127)) for b in KEY[:8])
        for form in (KEY, KEY.hex().encode(), base64.b64encode(KEY), listed.encode()):
            assert form not in written

    def test_metadata_of_columns_stays_behind(self, spark, tmp_path):
        from pyspark.sql import functions as f

        frame = made(spark, 1000)
        for name in ("hobby", "truth"):
            frame = frame.withColumn(name, f.col(name).alias(name, metadata={"levels": MARK}))
        clean, _ = with_card(frame, PLAN, output=tmp_path / "out")
        assert not any(field.metadata for field in clean.schema)
        assert MARK.encode() not in everything_below(tmp_path / "out")


class TestPeople:
    def test_too_many_rows_of_somebody_are_refused(self, spark, tmp_path):
        frame = made(spark, 2000)
        twice = frame.union(frame)
        clean, card = with_card(twice, PEOPLE, output=tmp_path / "out")
        assert clean.count() == card.count == 4000
        with pytest.raises(Malformed, match="more rows than rows_per_person = 2"):
            with_card(twice.union(frame.limit(1)), PEOPLE, output=tmp_path / "other")

    def test_people_must_be_known_and_stay(self, spark, tmp_path):
        from pyspark.sql import functions as f

        frame = made(spark, 100)
        nobody = frame.withColumn("name", f.when(f.col("id") != 7, f.col("name")))
        with pytest.raises(Malformed, match="should say whose row it is"):
            with_card(nobody, PEOPLE, output=tmp_path / "out")
        anew = frame.filter(f.rand() < 2)  # Spark cannot know that it keeps all rows
        assert with_card(anew, PEOPLE, output=tmp_path / "out")[1].count == 100


class TestLedger:
    def test_every_release_is_charged_once_and_a_refused_one_not(self, spark, tmp_path):
        frame = made(spark, 2000)
        with Ledger(tmp_path / "ledger.db", open=True) as ledger:
            _, card = with_card(frame, PLAN, output=tmp_path / "one", ledger=ledger)
            assert card.receipt["ledger"] == ledger.id
            moved = frame.orderBy("id", ascending=False).repartition(3, "id")
            with pytest.raises(AlreadyReleased):
                with_card(moved, PLAN, output=tmp_path / "two", ledger=ledger)
            spent = ledger.spent(column="hobby").eps
            assert spent == ln(5)
            bad = made(spark, 1999).replace("cars", MARK, subset=["hobby"])
            with pytest.raises(UnknownCategory):
                with_card(bad, PLAN, output=tmp_path / "two", ledger=ledger)
            assert ledger.spent(column="hobby").eps == spent
            with_card(moved, PLAN, output=tmp_path / "two", ledger=ledger, again="a second copy")
            assert ledger.spent(column="hobby").eps == ln(25)
            assert ledger.verify([tmp_path / "one" / "_card.json"])
        with pytest.raises(Malformed, match="is a remark in a ledger"):
            sanitise(frame, PLAN, again="why not")

    def test_a_lost_answer_is_no_second_charge_and_no_free_output(
        self, spark, tmp_path, monkeypatch
    ):
        faults, real = Faults(), sqlite3.connect
        monkeypatch.setattr(
            sqlite3, "connect", lambda *given, **how: WoundedConnection(real(*given, **how), faults)
        )
        counts, settle = [], FrameSpending.settle

        def counted(self, sha256):
            counts.append(faults.count)
            settle(self, sha256)
            counts.append(faults.count)

        monkeypatch.setattr(FrameSpending, "settle", counted)
        with Ledger(tmp_path / "ledger.db", open=True) as ledger:

            def release(name, rows):
                return with_card(made(spark, rows), PLAN, output=tmp_path / name, ledger=ledger)

            faults.arm(0, "", lasting=False)
            release("one", 100)
            for k, at in enumerate(counts[:2]):  # the COMMIT of the charge, and that of the hash
                faults.arm(at, "after", lasting=False)
                release(f"healed{k}", 101 + k)
                assert faults.fired
            assert ledger.spent(column="hobby").eps == 3 * ln(5)
            assert ledger.verify(tmp_path.glob("*/_card.json")).cards == 3
            for k, at in enumerate(counts[:2]):
                faults.arm(at, "after", lasting=True)
                with pytest.raises(LedgerInterrupted):
                    release(f"lost{k}", 111 + k)
                faults.heal()
                with pytest.raises(AlreadyReleased):
                    release(f"lost{k}", 111 + k)
            assert ledger.spent(column="hobby").eps == 5 * ln(5)
            verdict = ledger.verify(tmp_path.glob("*/_card.json"))
            assert verdict, verdict.explain()
            assert verdict.cards == 3


class TestPlaces:
    def test_a_cluster_needs_a_shared_folder(self, spark, tmp_path):
        frame = made(spark, 1000)
        with pytest.raises(Malformed, match="setCheckpointDir"):
            sanitise(frame, PLAN)
        spark.sparkContext.setCheckpointDir(f"file:{tmp_path}/checkpoints")
        clean, card = with_card(frame, PLAN)
        assert clean.count() == card.count == 1000
        assert str(tmp_path) in clean.inputFiles()[0]
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            _, card = with_card(frame, PLAN, insecure_seed=3)
        assert [w.category.__name__ for w in heard] == ["InsecureSeedWarning"]
        assert not card.secure

    def test_files_and_refusals(self, spark, tmp_path):
        source, out = tmp_path / "in", tmp_path / "out"
        made(spark, 1000).write.parquet(str(source))
        card = sanitise_file(source, Plan.read(PLAN), out, engine="spark").card
        assert (card.count, card.output["name"]) == (1000, "out")
        assert spark.range(3).count() == 3  # the session that was there is still there
        frame = spark.read.parquet(str(source))
        for where in (source, tmp_path):
            with pytest.raises(Malformed, match="would replace the source"):
                with_card(frame, PLAN, output=where, replace=True)
        with pytest.raises(Malformed, match="does not exist"):
            sanitise_file(tmp_path / "nothing", Plan.read(PLAN), tmp_path / "o", engine="spark")
        with pytest.raises(Malformed, match="reads Parquet"):
            sanitise_file("in.csv", Plan.read(PLAN), tmp_path / "o", engine="spark")
        with pytest.raises(Malformed, match="holds no rows"):
            with_card(frame.limit(0), PLAN, output=tmp_path / "o")
        with pytest.raises(Malformed, match="the plan says nothing of the column 'more'"):
            with_card(frame.selectExpr("*", "1 as more"), PLAN, output=tmp_path / "o")
        with pytest.raises(Malformed, match="a stream repeats batches"):
            with_card(spark.readStream.format("rate").load(), PLAN)
        with pytest.raises(Malformed, match="not on ftp:"):
            with_card(frame, PLAN, output="ftp://nowhere/out")
        assert not leftovers(tmp_path)


class TestEstimates:
    def test_from_sparks_counts_as_from_files(self, spark, tmp_path):
        out = tmp_path / "out"
        frame = made(spark, 100_000)
        clean, card = with_card(frame, PLAN, output=out)
        here, there = received(out), received(Released(clean, card))
        read = received(out, session=spark)
        for columns in (["hobby"], ["hobby", "health"], ["truth", "hobby"]):
            counts = there.counts(columns)
            assert counts == here.counts(columns) == read.counts(columns)
        one = there.estimate("hobby")
        assert one.to_dict() == here.estimate("hobby").to_dict()
        truth = dict(map(tuple, frame.groupBy("hobby").count().collect()))
        for label, count in one.counts.items():
            assert abs(float(count) - truth[label]) < 6 * one.standard_errors[label]
        two = there.cross_table(["hobby", "health"])
        assert two.to_dict() == here.cross_table(["hobby", "health"]).to_dict()
        assert there.mean("health").to_dict() == here.mean("health").to_dict()
        assert query(here, "SELECT count(*) AS n FROM data").rows == ((100_000,),)

    @weak_rows
    def test_codes_beside_numbers_and_dates_are_listed_columns(self, spark, tmp_path):
        numbers = {"type": "numbers", "low": 0, "high": 40, "grid": 10, "epsilon": "1/10"}
        plan = {
            "columns": {
                "wage": {**numbers, "codes": ["N"]},
                "hours": {**numbers, "codes": [99], "nulls": "category"},
                "day": {
                    "type": "dates", "low": "2020-01-01", "high": "2020-01-29", "grid": "7 days",
                    "epsilon": "1/7",
                },
            },
        }  # fmt: skip
        frame = spark.range(0, 20_000, 1, 3).selectExpr(
            "if(id % 4 = 0, 'N', cast(id % 40 as string)) as wage",
            "case when id % 5 = 0 then 99 when id % 5 = 1 then null else id % 41 end as hours",
            "date_add(to_date('2020-01-01'), cast(id % 29 as int)) as day",
        )
        out = tmp_path / "out"
        clean, card = with_card(frame, plan, output=out)
        assert dict(clean.dtypes) == {"wage": "string", "hours": "bigint", "day": "string"}
        table = received(out)
        assert received(Released(clean, card)).counts(["wage"]) == table.counts(["wage"])
        for where, truth in (
            ("wage=N", 5000), ("hours=99", 4000), ("hours=", 4000), ("day<2020-01-08", 2760),
        ):  # fmt: skip
            found = table.total(where=where).entries[0]
            assert abs(found.value - truth) < 6 * found.standard_error + 1
        assert prove_card(card)

    def test_columns_that_are_drawn_together(self, spark, tmp_path):
        plan = {
            "columns": {
                "sex": {"type": "categories", "values": ["f", "m"]},
                "mood": {"type": "ordered", "values": [1, 2, 3]},
            },
            "joint": {"both": {"columns": ["sex", "mood"], "epsilon": "ln 9"}},
            "drop": ["id"],
        }
        frame = spark.range(0, 20_000, 1, 3).selectExpr(
            "id", "if(id % 4 = 0, 'f', 'm') as sex", "cast(id % 4 % 3 + 1 as int) as mood"
        )
        out = tmp_path / "out"
        clean, card = with_card(frame, plan, output=out)
        assert set(clean.columns) == {"sex", "mood"}
        table = received(out)
        # id % 4 = 0, 1, 2, 3 are f1, m2, m3 and m1; margins alone could not tell f1 from m1
        found = table.cross_table(["sex", "mood"])
        truth = {("f", 1): 5000, ("m", 1): 5000, ("m", 2): 5000, ("m", 3): 5000}
        (combinations,) = found.labels
        for pair, value, error in zip(
            combinations, found.counts, found.standard_errors, strict=True
        ):
            assert abs(value - truth.get(pair, 0)) < 6 * error + 1
        assert max(found.standard_errors) < 100  # each drawn alone at ln 3 would give twice that
        assert prove_card(card)

    def test_a_folder_that_was_changed_is_refused(self, spark, tmp_path):
        out = tmp_path / "out"
        clean, card = with_card(made(spark, 1000), PLAN, output=out)
        with pytest.raises(Malformed, match="is this the card of this table"):
            received(Released(clean.drop("hobby"), card))
        with pytest.raises(Malformed, match="not list a column 'age'"):
            received(Released(clean, card)).counts(["age"])
        (out / "part-00000-late.parquet").write_bytes(next(out.glob("part-*")).read_bytes())
        for table in (received(out), received(out, session=spark)):  # a file that no card lists
            assert sum(table.counts(["hobby"]).values()) == 1000
        (found,) = prove_card(out / "_card.json", file=out).findings
        assert "part-00000-late.parquet" in found
        (out / "part-00000-late.parquet").unlink()
        next(out.glob("part-*")).unlink()
        for opened in (lambda: received(out), lambda: received(out, session=spark)):
            with pytest.raises(Malformed, match="taken out of this folder or changed"):
                opened()
        with pytest.raises(Malformed, match="not hold a release with its card"):
            received(tmp_path, session=spark)
