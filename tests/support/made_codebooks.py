"""Codebooks as institutions write them, small: one survey in every format, and that of a real table."""

import json

# What each format says of the same six variables, as far as it can.
NIST = json.dumps({
    "sex": {"description": "Sex", "values": {"1": "male", "2": "female"}},
    "income": {
        "description": "Monthly income",
        "values": {"min": 0, "max": 20000, "99998": "Refused", "N": "N/A (under 15)"},
    },
    "health": {
        "description": "Health",
        "values": {"1": "very good", "2": "good", "3": "fair", "8": "Don't know"},
    },
    "region": {"description": "Region", "values": {"01": "North", "02": "South"}},
    "wt": {"description": "Design weight"},
    "caseid": {"description": "Case number"},
})  # fmt: skip
CSV = """variable,label,code,meaning,min,max
sex,Sex,1,male,,
sex,Sex,2,female,,
income,Monthly income,,,0,20000
income,Monthly income,99998,Refused,,
income,Monthly income,N,N/A (under 15),,
health,Health,1,very good,,
health,Health,2,good,,
health,Health,3,fair,,
health,Health,8,Don't know,,
region,Region,01,North,,
region,Region,02,South,,
wt,Design weight,,,,
caseid,Case number,,,,
"""
_HEADS = (
    "Variable / Field Name",
    "Field Label",
    "Choices, Calculations, OR Slider Labels",
    "Text Validation Min",
    "Text Validation Max",
)
A_ROW_A_VARIABLE = f"""{";".join(_HEADS)}
sex;Sex;1, male | 2, female;;
income;Monthly income;99998, Refused | N, N/A (under 15);0;20000
health;Health;1, very good | 2, good | 3, fair | 8, Don't know;;
region;Region;01, North | 02, South;;
wt;Design weight;;;
caseid;Case number;;;
"""
DDI = """<?xml version="1.0" encoding="UTF-8"?>
<codeBook xmlns="ddi:codebook:2_5" version="2.5">
<stdyDscr><citation><titlStmt><titl>Test</titl></titlStmt></citation></stdyDscr><dataDscr>
<var ID="V1" name="sex" intrvl="discrete" nature="nominal"><labl>Sex</labl>
 <valrng><range min="1" max="2"/></valrng>
 <catgry><catValu>1</catValu><labl>male</labl><catStat type="freq">17</catStat></catgry>
 <catgry><catValu>2</catValu><labl>female</labl></catgry></var>
<var ID="V2" name="income" intrvl="contin"><labl>Monthly income</labl>
 <valrng><range UNITS="INT" min="0" max="20000"/></valrng>
 <invalrng><item VALUE="99998"/><item VALUE="N"/></invalrng>
 <catgry missing="Y"><catValu>99998</catValu><labl>Refused</labl></catgry>
 <catgry><catValu>N</catValu><labl>N/A (under 15)</labl></catgry></var>
<var ID="V3" name="health" intrvl="discrete" nature="ordinal"><labl>Health</labl>
 <catgry><catValu>1</catValu><labl>very good</labl></catgry>
 <catgry><catValu>2</catValu><labl>good</labl></catgry>
 <catgry><catValu>3</catValu><labl>fair</labl></catgry>
 <catgry missing="Y"><catValu>8</catValu><labl>Don't know</labl></catgry></var>
<var ID="V4" name="region"><labl>Region</labl>
 <catgry><catValu>01</catValu><labl>North</labl></catgry>
 <catgry><catValu>02</catValu><labl>South</labl></catgry></var>
<var ID="V5" name="wt" wgt="wgt"><labl>Design weight</labl></var>
<var ID="V6" name="caseid"><labl>Case number</labl></var>
</dataDscr></codeBook>
"""
GROUPED = """<codeBook><dataDscr><var name="job">
<catgryGrp ID="G1" catgry="C1 C2"><labl>Industry</labl></catgryGrp>
<catgryGrp ID="G2" catgry="C3 C4" ><labl>Services</labl></catgryGrp>
<catgry ID="C1"><catValu>11</catValu><labl>Miner</labl></catgry>
<catgry ID="C2"><catValu>12</catValu><labl>Smith</labl></catgry>
<catgry ID="C3"><catValu>21</catValu><labl>Cook</labl></catgry>
<catgry ID="C4"><catValu>22</catValu><labl>Nurse</labl></catgry>
</var></dataDscr></codeBook>
"""
SDMX_21 = """<?xml version="1.0" encoding="UTF-8"?>
<mes:Structure xmlns:mes="http://www.sdmx.org/resources/sdmxml/schemas/v2_1/message"
 xmlns:str="http://www.sdmx.org/resources/sdmxml/schemas/v2_1/structure"
 xmlns:com="http://www.sdmx.org/resources/sdmxml/schemas/v2_1/common">
<mes:Structures><str:Codelists><str:Codelist id="CL_REGION"><com:Name>Regions</com:Name>
<str:Code id="CH"><com:Name>Switzerland</com:Name></str:Code>
<str:Code id="FR"><com:Name>France</com:Name></str:Code>
<str:Code id="CH01"><com:Name>Lake Geneva</com:Name><str:Parent><Ref id="CH"/></str:Parent></str:Code>
<str:Code id="CH02"><com:Name>Mittelland</com:Name><str:Parent><Ref id="CH"/></str:Parent></str:Code>
<str:Code id="FR01"><com:Name>Bretagne</com:Name><str:Parent><Ref id="FR"/></str:Parent></str:Code>
</str:Codelist></str:Codelists></mes:Structures></mes:Structure>
"""
SDMX_30 = """<mes:Structure xmlns:mes="m" xmlns:str="s" xmlns:com="c"><mes:Structures><str:Codelists>
<str:Codelist id="CL_REGION"><str:Code id="CH"/><str:Code id="FR"/>
<str:Code id="CH01"><com:Name xml:lang="en">Lake Geneva</com:Name><str:Parent>CH</str:Parent></str:Code>
<str:Code id="CH02"><str:Parent>CH</str:Parent></str:Code>
<str:Code id="FR01"><str:Parent>FR</str:Parent></str:Code>
</str:Codelist></str:Codelists></mes:Structures></mes:Structure>
"""
CODES_CSV = (
    "code,label,parent\nCH,Switzerland,\nFR,France,\nCH01,Lake Geneva,CH\nCH02,,CH\nFR01,,FR\n"
)

# The documentation of sdcMicro's testdata gives names alone; these codes are made up for the tests.
_TESTDATA = {
    "urbrur": "1-2", "roof": "1-9", "walls": "1-9", "water": "1-9", "electcon": "1-4", "relat": "1-9",
    "sex": "1-2", "hhcivil": "1-4",
}  # fmt: skip
TESTDATA = "variable,label,code,min,max\n" + "".join(
    f"{name},,{code},,\n"
    for name, ends in _TESTDATA.items()
    for code in range(int(ends[0]), int(ends[2]) + 1)
)
TESTDATA += """age,Age in years,,0,99
expend,Household expenditure,,0,100000000
income,Household income,,0,100000000
savings,Household savings,,0,10000000
ori_hid,Original household identifier,,,
sampling_weight,Sampling weight,,,
household_weights,Weight of the household,,,
"""
