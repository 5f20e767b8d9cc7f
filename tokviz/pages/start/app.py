"""The app of the installed package, which `tokviz app` starts; its settings are beside it.

Streamlit reads this file twice: as a module, whose `app` is the server, and as the script that
draws a page, for every visitor and click.
"""

import streamlit as st

from tokviz.server.lifecycle import have_few_heaps, lifespan

if __name__ == "__main__":
    from tokviz.pages.app import draw

    draw()
else:
    # Before the import of anything that starts threads.
    have_few_heaps()
    from tokviz.pages.app import LAYERS

    app = st.App(__file__, middleware=LAYERS, lifespan=lifespan)
